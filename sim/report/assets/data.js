// The data of the page, what is shown of it, and how numbers and plans look.
const data = JSON.parse(document.getElementById("data").textContent);
const points = data.points;
const pointCount = points.family.length;
const allPoints = Array.from({ length: pointCount }, (_, i) => i);
const front = new Set(data.front);

const metrics = {
  ttft_ms: { label: "TTFT", unit: "ms", better: "less" },
  tpot_ms: { label: "TPOT", unit: "ms", better: "less" },
  makespan_ms: { label: "makespan", unit: "ms", better: "less" },
  output_tokens_per_s_per_device: { label: "tokens/s/device", unit: "", better: "more" },
  output_tokens_per_s_per_user: { label: "tokens/s/user", unit: "", better: "more" },
  output_tokens_per_s: { label: "tokens/s", unit: "", better: "more" },
  exposed_communication_fraction: { label: "exposed communication", unit: "%", scale: 100, better: "less" },
  bubble_fraction: { label: "bubble", unit: "%", scale: 100, better: "less" },
  mfu: { label: "MFU", unit: "%", scale: 100, better: "more" },
  cost_per_million_output_tokens_usd: { label: "USD per 1M tokens", unit: "", better: "less" },
};
const isKnown = (name) => points[name].some((value) => value !== null);
const knownMetrics = Object.keys(metrics).filter(isKnown);
const withUnit = ({ label, unit }) => (unit ? `${label}, ${unit}` : label);

function numberText(value) {
  if (value === null || value === undefined) return "";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size < 0.01) return value.toExponential(1);
  const decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 3;
  return value.toLocaleString("en-US", { maximumFractionDigits: decimals });
}
const metricText = (name, i) => {
  const value = points[name][i];
  return value === null ? "" : numberText(value * (metrics[name].scale ?? 1));
};
const xText = (i) => (data.x ? `, ${data.x} ${numberText(points.x[i])}` : "");
const pointText = (i) => data.families[points.family[i]] + xText(i);

// Okabe and Ito's colours, which people with any colour vision can tell apart, and a shape for
// those who print in grey: seven colours and four shapes give 28 looks before one comes back.
const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#8a8a8a"];
const shapes = [
  { style: "circle", glyph: "●" },
  { style: "rect", glyph: "■" },
  { style: "triangle", glyph: "▲" },
  { style: "rectRot", glyph: "◆" },
];
const colourOf = (family) => colours[family % colours.length];
const shapeOf = (family) => shapes[family % shapes.length];
const groupColours = ["#0072b2", "#d55e00", "#8a8a8a", "#e6c229"];
const memoryColours = {
  weights: "#0072b2", kv_cache: "#009e73", gradients: "#d55e00", optimizer: "#cc79a7", activations: "#e69f00", reserved: "#8a8a8a",
};
// Those that some point has: training has no cache, serving no gradients.
const memoryParts = Object.keys(memoryColours)
  .filter((part) => points[`${part}_gb`].some((bytes) => bytes > 0));
const usedMemory = (i) => memoryParts.reduce((sum, part) => sum + points[`${part}_gb`][i], 0);

const familiesOnFront = new Set(data.front.map((i) => points.family[i]));

// Enough to compare, few enough to read: the front's plans, then the fastest of the others.
const kMostShownAtFirst = 8;
function firstFamilies() {
  const best = data.families.map(() => -1);
  for (const i of allPoints) {
    if (!points.feasible[i]) continue;
    const rate = points.output_tokens_per_s_per_device[i] ?? 1 / (points.makespan_ms[i] ?? Infinity);
    best[points.family[i]] = Math.max(best[points.family[i]], rate);
  }
  const rank = (family) => (familiesOnFront.has(family) ? 1e12 : 0) + best[family];
  const order = data.families.map((_, family) => family).sort((a, b) => rank(b) - rank(a) || a - b);
  return new Set(order.slice(0, kMostShownAtFirst));
}

const xValues = data.x ? [...new Set(points.x)].sort((a, b) => a - b) : [];
const state = {
  shown: firstFamilies(),
  x: xValues[Math.floor(xValues.length / 2)],
};
const shownFamilies = () => data.families.map((_, f) => f).filter((f) => state.shown.has(f));

const element = (name, attributes = {}, ...children) => {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...children);
  return made;
};
const hideSection = (id) => document.getElementById(id).remove();
const cssColour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

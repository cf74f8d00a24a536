// Scatter of simulated against measured, and the error by regime, of the figures chosen.
const data = JSON.parse(document.getElementById("data").textContent);
const figures = data.figures;
const chosen = (id) => document.getElementById(id).value;

// Okabe and Ito's colours, and a shape for those who print in grey, as in report.html.
const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#8a8a8a"];
const shapes = ["circle", "rect", "triangle", "rectRot"];
const cssColour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const percent = (share) => `${share > 0 ? "+" : ""}${(100 * share).toFixed(1)} %`;
const numberText = (value) =>
  value.toLocaleString("en-US", { maximumSignificantDigits: value >= 1000 ? 6 : 4 });
const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2;
};

const charts = new Map();
function draw(id, config) {
  charts.get(id)?.destroy();
  charts.set(id, new Chart(document.getElementById(id), config));
}

function shownFigures() {
  return figures.filter(
    (f) =>
      data.metrics[f.metric] === chosen("metric") &&
      (!chosen("split") || f.split === chosen("split")) &&
      (!chosen("group") || data.groups[f.group] === chosen("group")),
  );
}

const tooltip = {
  filter: ({ raw }) => raw.figure !== undefined,
  callbacks: {
    title: () => "",
    label: ({ raw: { figure: f } }) => [
      f.id,
      f.plan,
      `measured ${numberText(f.measured)}`,
      f.simulated === null ? (f.feasible ? "no answer" : "infeasible") : `simulated ${numberText(f.simulated)} (${percent(f.error)})`,
    ],
  },
};

// Two lines that enclose what is within that share of the measured value.
function band(low, high, share) {
  const edge = (factor, fill) => ({
    label: `${100 * share} %`,
    data: [low, high].map((x) => ({ x, y: factor * x })),
    showLine: true,
    pointRadius: 0,
    pointHitRadius: 0,
    borderWidth: share ? 0.8 : 1.5,
    borderDash: share ? [4, 4] : [],
    borderColor: cssColour("--soft"),
    backgroundColor: "rgba(120, 140, 150, 0.13)",
    fill,
    order: 2,
  });
  return share ? [edge(1 - share, false), edge(1 + share, "-1")] : [edge(1, false)];
}

function drawScatter(shown) {
  const measured = shown.map((f) => f.measured);
  const low = Math.min(...measured) / 1.5;
  const high = Math.max(...measured) * 1.5;
  const groups = [...new Set(shown.map((f) => f.group))].map((group) => {
    const mine = shown.filter((f) => f.group === group);
    return {
      label: data.groups[group],
      data: mine.map((figure) => ({ x: figure.measured, y: figure.simulated ?? figure.measured / 2, figure })),
      pointStyle: mine.map((f) => (f.simulated === null ? "crossRot" : shapes[group % shapes.length])),
      pointRadius: 4,
      borderColor: colours[group % colours.length],
      backgroundColor: colours[group % colours.length] + "99",
      order: 1,
    };
  });
  const axis = (text) => ({
    type: "logarithmic",
    title: { display: true, text },
    min: low,
    max: high,
    grid: { color: cssColour("--line") },
  });
  const isGroup = ({ text }) => !/^\d+ %$/.test(text);
  draw("scatter-chart", {
    type: "scatter",
    data: { datasets: [...band(low, high, 0.2), ...band(low, high, 0.1), ...band(low, high, 0), ...groups] },
    options: {
      scales: { x: axis(`measured ${chosen("metric")} (log)`), y: axis("simulated (log)") },
      plugins: {
        legend: { position: "right", labels: { usePointStyle: true, filter: isGroup, font: { size: 11 } } },
        tooltip,
      },
    },
  });
}

// Few values stand for themselves; many are put together by powers of two.
function classes(values) {
  const exact = [...new Set(values)].sort((a, b) => a - b);
  if (exact.length <= 12) return { list: exact, of: (v) => v, text: (v) => numberText(v) };
  const below = (v) => 2 ** Math.floor(Math.log2(v));
  const list = [...new Set(values.map(below))].sort((a, b) => a - b);
  return { list, of: below, text: (v) => `${numberText(v)} ...` };
}

function drawRegime(name, title, shown) {
  const known = shown.filter((f) => f[name] !== null && f.simulated !== null);
  const { list, of, text } = classes(known.map((f) => f[name]));
  const spread = (i) => 0.3 * (((i * 0.618034) % 1) - 0.5);
  const medians = list.map((value, x) => ({
    x,
    y: 100 * median(known.filter((f) => of(f[name]) === value).map((f) => f.error)),
  }));
  draw(`regime-${name}`, {
    type: "scatter",
    data: {
      datasets: [
        { label: "median", data: medians, showLine: true, pointRadius: 3, borderColor: colours[1], backgroundColor: colours[1], order: 1 },
        {
          label: "points",
          data: known.map((figure, i) => ({ x: list.indexOf(of(figure[name])) + spread(i), y: 100 * figure.error, figure })),
          pointRadius: 2.5,
          borderColor: colours[0] + "99",
          backgroundColor: colours[0] + "66",
          order: 2,
        },
      ],
    },
    options: {
      scales: {
        x: {
          min: -0.5,
          max: list.length - 0.5,
          title: { display: true, text: title },
          grid: { display: false },
          afterBuildTicks: (axis) => (axis.ticks = list.map((_, value) => ({ value }))),
          ticks: { autoSkip: false, callback: (x) => text(list[x]) },
        },
        y: { title: { display: true, text: "error, %" }, suggestedMin: -20, suggestedMax: 20, grid: { color: cssColour("--line") } },
      },
      plugins: { legend: { display: false }, tooltip },
    },
  });
}

const regimes = [
  ["batch", "batch"],
  ["context", "context: tokens in and out"],
  ["tp", "tensor-parallel degree"],
  ["pp", "pipeline stages"],
];

function drawAll() {
  Object.assign(Chart.defaults, { color: cssColour("--ink"), borderColor: cssColour("--line"), animation: false, maintainAspectRatio: false });
  const shown = shownFigures();
  document.getElementById("shown").textContent = `${shown.length} figures`;
  if (!shown.length) return;
  drawScatter(shown);
  for (const [name, title] of regimes) drawRegime(name, title, shown);
}

function fillSelect(id, names) {
  document.getElementById(id).append(...names.map((name) => new Option(name)));
}

if (!figures.length) {
  for (const id of ["scatter", "regimes"]) document.getElementById(id).remove();
  document.querySelector(".filter").remove();
} else {
  const count = (metric) => figures.filter((f) => f.metric === metric).length;
  const byCount = data.metrics.map((_, i) => i).sort((a, b) => count(b) - count(a));
  fillSelect("metric", byCount.map((i) => data.metrics[i]));
  fillSelect("group", data.groups);
  for (const [name] of regimes) {
    const box = Object.assign(document.createElement("div"), { className: "chart" });
    box.append(Object.assign(document.createElement("canvas"), { id: `regime-${name}` }));
    document.getElementById("regime-charts").append(box);
  }
  for (const id of ["metric", "split", "group"]) document.getElementById(id).addEventListener("change", drawAll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  drawAll();
}

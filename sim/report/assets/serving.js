// Latency CDFs, queues, cache and throughput of one serving run.
const data = JSON.parse(document.getElementById("data").textContent);
const cssColour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const colours = ["#0072b2", "#d55e00"];  // Okabe and Ito

function applyTheme() {
  Chart.defaults.color = cssColour("--ink");
  Chart.defaults.borderColor = cssColour("--line");
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.animation = false;
  Chart.defaults.maintainAspectRatio = false;
}

const axis = (text, more) => ({
  type: "linear",
  title: { display: true, text },
  grid: { color: cssColour("--line") },
  ...more,
});
const line = (label, xs, ys, index, more) => ({
  label,
  data: xs.map((x, i) => ({ x, y: ys[i] })),
  borderColor: colours[index],
  backgroundColor: colours[index],
  borderWidth: 1.5,
  pointRadius: 0,
  ...more,
});

const charts = [];
function draw(id, datasets, x, y, more) {
  const element = document.getElementById(id);
  if (datasets.every((set) => set.data.length === 0)) {
    element.closest(".chart").hidden = true;
    return;
  }
  charts.push(new Chart(element, {
    type: "line",
    data: { datasets },
    options: { parsing: false, interaction: { mode: "nearest", axis: "x", intersect: false }, scales: { x, y, ...more } },
  }));
}

function drawLatency(id, label) {
  const { value, share } = data[id];
  const sets = [line(label, value, share.map((s) => 100 * s), 0, { stepped: "before" })];
  const limit = data.limits[id];
  if (limit !== null) {
    sets.push(line("limit", [limit, limit], [0, 100], 1, { borderDash: [6, 4] }));
  }
  draw(id, sets, axis(`${label}, ms`, { min: 0 }), axis("% of requests", { min: 0, max: 100 }));
}

function drawAll() {
  while (charts.length > 0) charts.pop().destroy();
  applyTheme();
  drawLatency("ttft", "time to first token");
  drawLatency("tpot", "time per output token");
  drawLatency("e2e", "end to end");
  const time = axis("seconds since the first arrival", { min: 0 });
  const end = data.end_s;
  draw("requests", [line("running", end, data.running, 0), line("waiting", end, data.waiting, 1)],
    time, axis("requests", { min: 0 }));
  draw("occupancy", [line("KV cache in use", data.cache.length ? end : [], data.cache.map((s) => 100 * s), 0)],
    time, axis("% of the blocks", { min: 0, max: 100 }));
  draw("rates",
    [line("output tokens/s", end, data.tokens, 0), line("requests/s that ended", end, data.requests, 1, { yAxisID: "right" })],
    time, axis("output tokens/s", { min: 0 }),
    { right: axis("requests/s", { min: 0, position: "right", grid: { drawOnChartArea: false } }) });
}

drawAll();
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);

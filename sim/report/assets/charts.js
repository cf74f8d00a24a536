// Pareto front, latency curves, time and memory bars.
const charts = new Map();
function draw(id, config) {
  charts.get(id)?.destroy();
  charts.set(id, new Chart(document.getElementById(id), config));
}

function applyTheme() {
  Chart.defaults.color = cssColour("--ink");
  Chart.defaults.borderColor = cssColour("--line");
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.animation = false;
  Chart.defaults.maintainAspectRatio = false;
}

// On a logarithmic axis every digit would be a tick; 1, 2 and 5 are enough.
const isRound = (value) => {
  const digit = value / 10 ** Math.floor(Math.log10(value) + 1e-9);
  return [1, 2, 5].some((round) => Math.abs(digit - round) < 1e-6);
};
const roundBelow = (value) => {
  const power = 10 ** Math.floor(Math.log10(value));
  return [5, 2, 1].map((round) => round * power).find((round) => round <= value) ?? power;
};
function scale(title, values, ticks) {
  const known = values.filter((v) => v !== null && v > 0);
  const [low, high] = known.reduce(([l, h], v) => [Math.min(l, v), Math.max(h, v)], [Infinity, 0]);
  const isLog = low < Infinity && high / low > 8;
  return {
    type: isLog ? "logarithmic" : "linear",
    title: { display: true, text: isLog ? `${title} (log)` : title },
    beginAtZero: !isLog,
    ...(isLog ? { min: roundBelow(low / 1.1), max: high * 1.25 } : { grace: "4%" }),
    grid: { color: cssColour("--line") },
    ticks: {
      maxRotation: 0,
      callback: (value) => (isLog && !ticks && !isRound(value) ? null : numberText(value)),
    },
    ...(ticks && { afterBuildTicks: (axis) => (axis.ticks = ticks.map((value) => ({ value }))) }),
  };
}

const markRadius = (count) => (count > 200 ? 1.5 : count > 40 ? 2.5 : 4);
const look = (family) => ({
  label: data.families[family],
  borderColor: colourOf(family),
  backgroundColor: colourOf(family),
  pointStyle: shapeOf(family).style,
  borderWidth: 1.5,
});

// Writes the batch beside the marks of the front, unless a label is there already.
const frontLabels = {
  id: "frontLabels",
  afterDatasetsDraw(chart) {
    const { ctx } = chart;
    ctx.save();
    ctx.font = `11px ${Chart.defaults.font.family}`;
    ctx.fillStyle = cssColour("--ink");
    const taken = [];
    for (const mark of chart.getDatasetMeta(0).data) {
      const i = data.front[chart.getDatasetMeta(0).data.indexOf(mark)];
      const box = { x: mark.x + 7, y: mark.y - 7 };
      if (taken.some((other) => Math.abs(other.x - box.x) < 46 && Math.abs(other.y - box.y) < 13)) continue;
      taken.push(box);
      ctx.fillText(data.x ? numberText(points.x[i]) : "", box.x, box.y);
    }
    ctx.restore();
  },
};

const pointTooltip = {
  callbacks: {
    title: () => "",
    label: ({ raw }) => [
      pointText(raw.i),
      ...["ttft_ms", "tpot_ms", "output_tokens_per_s_per_device", "output_tokens_per_s_per_user"]
        .filter((name) => points[name][raw.i] !== null)
        .map((name) => `${withUnit(metrics[name])}: ${metricText(name, raw.i)}`),
    ],
  },
};

function drawPareto() {
  const across = "output_tokens_per_s_per_user";
  const up = "output_tokens_per_s_per_device";
  const mark = (i) => ({ x: points[across][i], y: points[up][i], i });
  const drawable = allPoints.filter((i) => points.feasible[i] && points[across][i] !== null);
  const frontLine = {
    label: "Pareto front",
    data: data.front.map(mark),
    showLine: true,
    pointRadius: 0,
    pointHitRadius: 0,
    borderColor: cssColour("--soft"),
    borderDash: [5, 4],
    borderWidth: 1.5,
    order: 2,
  };
  const families = shownFamilies().map((family) => {
    const mine = drawable.filter((i) => points.family[i] === family);
    return {
      ...look(family),
      data: mine.map(mark),
      backgroundColor: mine.map((i) => colourOf(family) + (front.has(i) ? "" : "55")),
      pointRadius: mine.map((i) => (front.has(i) ? 1.5 : 1) * markRadius(mine.length)),
      order: 1,
    };
  });
  draw("pareto-chart", {
    type: "scatter",
    data: { datasets: [frontLine, ...families] },
    options: {
      scales: {
        x: scale("tokens/s/user", drawable.map((i) => points[across][i])),
        y: scale("tokens/s/device", drawable.map((i) => points[up][i])),
      },
      layout: { padding: { top: 14, right: 30 } },
      plugins: { legend: { display: false }, tooltip: pointTooltip },
    },
    plugins: [frontLabels],
  });
}

const curveMetrics = ["ttft_ms", "tpot_ms"].filter(isKnown);
if (curveMetrics.length === 0 && isKnown("makespan_ms")) curveMetrics.push("makespan_ms");

function drawCurve(name) {
  const mark = (i) => ({ x: points.x[i], y: points[name][i], i });
  const drawable = allPoints.filter((i) => points.feasible[i] && points[name][i] !== null);
  const families = shownFamilies().map((family) => ({
    ...look(family),
    data: drawable
      .filter((i) => points.family[i] === family)
      .map(mark)
      .sort((a, b) => a.x - b.x),
    showLine: true,
    pointRadius: markRadius(xValues.length),
  }));
  draw(`curve-${name}`, {
    type: "scatter",
    data: { datasets: families },
    options: {
      scales: {
        x: scale(data.x, points.x, xValues.length <= 16 ? xValues : undefined),
        y: scale(withUnit(metrics[name]), drawable.map((i) => points[name][i])),
      },
      plugins: { legend: { display: false }, tooltip: pointTooltip },
    },
  });
}

// Nothing to run over: one bar a plan.
function drawPlanBars(name) {
  const rows = barPoints().rows.filter((i) => points.feasible[i] && points[name][i] !== null);
  drawBars(`curve-${name}`, rows, withUnit(metrics[name]), [
    { label: withUnit(metrics[name]), data: rows.map((i) => points[name][i]), backgroundColor: colours[0] },
  ]);
}

const kMostBars = 40;
function barPoints() {
  const here = allPoints.filter((i) => state.shown.has(points.family[i]) && (!data.x || points.x[i] === state.x));
  const rows = here.slice(0, kMostBars);
  const left = here.length - rows.length;
  return { rows, note: left > 0 ? `${left} more plans are not drawn.` : "" };
}

function drawBars(id, rows, title, datasets, { end, plugins = [] } = {}) {
  const canvas = document.getElementById(id);
  const unit = ` ${title.split(", ").pop()}`;
  canvas.parentElement.style.height = `${90 + 26 * rows.length}px`;
  draw(id, {
    type: "bar",
    data: {
      labels: rows.map((i) => data.families[points.family[i]] + (points.feasible[i] ? "" : " ✗")),
      datasets: datasets.map((set) => ({ ...set, maxBarThickness: 20 })),
    },
    options: {
      indexAxis: "y",
      scales: {
        x: { stacked: true, beginAtZero: true, max: end, title: { display: true, text: title }, ticks: { includeBounds: false } },
        y: { stacked: true, grid: { display: false }, ticks: { autoSkip: false } },
      },
      plugins: {
        legend: { display: datasets.length > 1, position: "top", align: "start" },
        tooltip: { callbacks: { label: ({ dataset, raw }) => `${dataset.label}: ${numberText(raw)}${unit}` } },
      },
    },
    plugins,
  });
}

function drawBreakdown() {
  const inShares = document.getElementById("breakdown-unit").value === "share";
  const { rows, note } = barPoints();
  const timed = rows.filter((i) => points.group_0_ms[i] !== null);
  const groups = data.groups.map((_, group) => points[`group_${group}_ms`]);
  const total = (i) => groups.reduce((sum, group) => sum + group[i], 0);
  const datasets = data.groups.map((label, group) => ({
    label,
    backgroundColor: groupColours[group],
    data: timed.map((i) => (inShares ? (100 * groups[group][i]) / total(i) : groups[group][i])),
  }));
  if (inShares) drawBars("breakdown-chart", timed, "share of the makespan, %", datasets, { end: 100 });
  else drawBars("breakdown-chart", timed, "time, ms", datasets);
  document.getElementById("breakdown-note").textContent =
    (timed.length < rows.length ? `${rows.length - timed.length} plans shown are not feasible here. ` : "") + note;
}

const capacityTicks = (rows) => ({
  id: "capacityTicks",
  afterDatasetsDraw(chart) {
    const { ctx, scales } = chart;
    ctx.save();
    ctx.strokeStyle = cssColour("--bad");
    ctx.lineWidth = 2;
    rows.forEach((i, row) => {
      const x = scales.x.getPixelForValue(points.capacity_gb[i]);
      const y = scales.y.getPixelForValue(row);
      ctx.beginPath();
      ctx.moveTo(x, y - 12);
      ctx.lineTo(x, y + 12);
      ctx.stroke();
    });
    ctx.restore();
  },
});

function drawMemory() {
  const { rows, note } = barPoints();
  const counted = rows.filter((i) => points.weights_gb[i] !== null);
  const datasets = memoryParts.map((part) => ({
    label: part === "kv_cache" ? "KV cache" : part,
    backgroundColor: memoryColours[part],
    data: counted.map((i) => points[`${part}_gb`][i]),
  }));
  const end = 1.02 * Math.max(...counted.map((i) => Math.max(usedMemory(i), points.capacity_gb[i])));
  drawBars("memory-chart", counted, "memory, GB", datasets, {
    end: counted.length > 0 ? end : undefined,
    plugins: [capacityTicks(counted)],
  });
  document.getElementById("memory-note").textContent =
    `The red tick is the capacity; ✗ does not run. ${note}`;
}

function drawAll() {
  applyTheme();
  if (front.size > 0) drawPareto();
  curveMetrics.forEach(data.x ? drawCurve : drawPlanBars);
  drawBreakdown();
  drawMemory();
}

// The table with one dimension of the sweep down and another across, coloured by a metric.
const dimensions = data.dimensions.map((dimension, k) => ({ ...dimension, of: points.dimensions[k] }));

function firstLayout() {
  const named = (label) => dimensions.findIndex((dimension) => dimension.label === label);
  const others = dimensions.map((_, k) => k).filter((k) => dimensions[k].label !== data.x);
  const usual = [named("TP"), named("PP")].filter((k) => k >= 0);
  const order = [...new Set([...usual, ...others, ...dimensions.keys()])];
  return { down: order[0] ?? -1, across: order[1] ?? -1 };
}

const kAny = "any";
const pivot = {
  ...firstLayout(),
  metric: knownMetrics.includes("tpot_ms") ? "tpot_ms" : knownMetrics[0],
  fixed: dimensions.map((dimension) =>
    dimension.label === data.x ? Math.floor(dimension.values.length / 2) : kAny),
};

// The best feasible of these points, else the first, whose reason tells why there is none.
function bestOf(candidates) {
  const sign = metrics[pivot.metric].better === "less" ? 1 : -1;
  const value = (i) => (points.feasible[i] ? sign * (points[pivot.metric][i] ?? Infinity) : Infinity);
  return candidates.reduce((best, i) => (value(i) < value(best) ? i : best), candidates[0]);
}

function pivotCells() {
  const cells = new Map();
  for (const i of allPoints) {
    const isOut = dimensions.some((dimension, k) =>
      k !== pivot.down && k !== pivot.across && pivot.fixed[k] !== kAny && dimension.of[i] !== pivot.fixed[k]);
    if (isOut) continue;
    const key = `${dimensions[pivot.down]?.of[i] ?? 0},${dimensions[pivot.across]?.of[i] ?? 0}`;
    cells.set(key, [...(cells.get(key) ?? []), i]);
  }
  return cells;
}

function shades(chosen) {
  const values = chosen.filter((i) => points.feasible[i]).map((i) => points[pivot.metric][i]);
  const known = values.filter((value) => value !== null && value > 0).map(Math.log);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return (value) => {
    const share = high > low ? (Math.log(Math.max(value, 1e-12)) - low) / (high - low) : 0.5;
    const good = metrics[pivot.metric].better === "less" ? 1 - share : share;
    return `rgba(${cssColour("--good")}, ${(0.04 + 0.5 * Math.min(1, Math.max(0, good))).toFixed(2)})`;
  };
}

function pivotCell(candidates, shade) {
  if (!candidates) return element("td", { textContent: "" });
  const i = bestOf(candidates);
  if (!points.feasible[i]) {
    const title = `${pointText(i)}: ${data.reasons[points.reason[i]]}`;
    return element("td", { className: "infeasible", textContent: "✗", title });
  }
  const title = pointText(i) + (candidates.length > 1 ? ` (best of ${candidates.length} points)` : "");
  const cell = element("td", { textContent: metricText(pivot.metric, i) || "-", title });
  if (points[pivot.metric][i] !== null) cell.style.background = shade(points[pivot.metric][i]);
  return cell;
}

function drawPivot() {
  const cells = pivotCells();
  const shade = shades([...cells.values()].map(bestOf));
  const down = dimensions[pivot.down] ?? { label: "", values: [""] };
  const across = dimensions[pivot.across] ?? { label: "", values: [""] };
  const heading = (dimension, value) => `${dimension.label} ${value}`.trim();
  const table = element("table", {},
    element("tr", {}, element("th", { textContent: withUnit(metrics[pivot.metric]) }),
      ...across.values.map((value) => element("th", { textContent: heading(across, value) }))));
  down.values.forEach((value, d) => {
    table.append(element("tr", {}, element("th", { textContent: heading(down, value) }),
      ...across.values.map((_, a) => pivotCell(cells.get(`${d},${a}`), shade))));
  });
  document.getElementById("pivot-table").replaceChildren(table);
  const several = [...cells.values()].some((candidates) => candidates.length > 1);
  document.getElementById("pivot-note").textContent =
    several ? "Where several points share a cell, the best one stands in it." : "";
}

function pivotSelect(text, options, chosen, onChange) {
  const select = element("select");
  for (const [label, value] of options) select.append(new Option(label, value));
  select.value = chosen;
  select.addEventListener("change", () => {
    onChange(select.value);
    buildPivot();
  });
  return element("label", {}, `${text} `, select);
}

function buildPivot() {
  const names = dimensions.map((dimension, k) => [dimension.label, k]);
  const swap = (mine, other) => (value) => {
    if (pivot[other] === Number(value)) pivot[other] = pivot[mine];
    pivot[mine] = Number(value);
  };
  const controls = [pivotSelect("metric", knownMetrics.map((name) => [metrics[name].label, name]),
    pivot.metric, (value) => (pivot.metric = value))];
  if (dimensions.length > 1) {
    controls.push(pivotSelect("down", names, pivot.down, swap("down", "across")));
    controls.push(pivotSelect("across", names, pivot.across, swap("across", "down")));
  }
  dimensions.forEach((dimension, k) => {
    if (k === pivot.down || k === pivot.across) return;
    const values = dimension.values.map((value, v) => [value, v]);
    controls.push(pivotSelect(dimension.label, [[kAny, kAny], ...values], pivot.fixed[k],
      (value) => (pivot.fixed[k] = value === kAny ? kAny : Number(value))));
  });
  document.getElementById("pivot-controls").replaceChildren(...controls);
  drawPivot();
}

if (knownMetrics.length > 0) buildPivot();
else hideSection("pivot");

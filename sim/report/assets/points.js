// Every point of the sweep as a row, sortable and searchable.
const kMostRows = 2000;
const usedShare = (i) => points.weights_gb[i] === null ? null : usedMemory(i) / points.capacity_gb[i];
const fromOthers = knownMetrics.includes("tpot_ms") ? ["makespan_ms", "output_tokens_per_s"] : [];
const tableMetrics = knownMetrics.filter((name) => !fromOthers.includes(name));
const hasMetrics = (i) => tableMetrics.some((name) => points[name][i] !== null);
const reasonOf = (i) => data.reasons[points.reason[i]] ?? "";
const columns = [
  { label: "plan", className: "text", value: (i) => points.family[i], text: (i) => data.families[points.family[i]] },
  ...(data.x ? [{ label: data.x, value: (i) => points.x[i], text: (i) => numberText(points.x[i]) }] : []),
  ...tableMetrics.map((name) => ({
    isMetric: true,
    label: withUnit(metrics[name]),
    value: (i) => points[name][i],
    text: (i) => metricText(name, i),
  })),
  { label: "memory, %", value: usedShare, text: (i) => numberText(usedShare(i) === null ? null : 100 * usedShare(i)) },
  { label: "max batch", value: (i) => points.max_batch[i], text: (i) => numberText(points.max_batch[i]) },
  // Without metrics the reason stands in their place.
  { label: "why not", className: "reason", value: (i) => points.reason[i], text: (i) => (hasMetrics(i) ? reasonOf(i) : "") },
].filter((column) => allPoints.some((i) => column.text(i) !== ""));

const sorting = { column: -1, falling: false };

function sortedPoints() {
  const words = document.getElementById("points-search").value.toLowerCase().split(/[\s,]+/).filter(Boolean);
  const onlyFront = document.getElementById("points-front").checked;
  const isWanted = (i) => {
    if (onlyFront && !front.has(i)) return false;
    if (words.length === 0) return true;
    const text = `${pointText(i)} ${reasonOf(i)}`.toLowerCase().split(/[\s,]+/);
    return words.every((word) => text.some((other) => other.startsWith(word)));
  };
  const rows = allPoints.filter(isWanted);
  if (sorting.column < 0) return rows;
  const { value } = columns[sorting.column];
  const sign = sorting.falling ? -1 : 1;
  return rows.sort((a, b) => {
    const [left, right] = [value(a), value(b)];
    if (left === null || right === null) return (left === null) - (right === null);
    return sign * (left - right);
  });
}

function heading(column, k) {
  const mark = sorting.column === k ? (sorting.falling ? " ▼" : " ▲") : "";
  const cell = element("th", { textContent: column.label + mark, className: column.className ?? "" });
  cell.addEventListener("click", () => {
    sorting.falling = sorting.column === k && !sorting.falling;
    sorting.column = k;
    drawPoints();
  });
  return cell;
}

function row(i) {
  const isBare = !points.feasible[i] && !hasMetrics(i);
  const cells = columns.filter((column) => !isBare || !column.isMetric).map((column) =>
    element("td", { textContent: column.text(i), className: column.className ?? "" }));
  if (isBare) {
    const why = element("td", { className: "reason", textContent: reasonOf(i) });
    why.colSpan = Math.max(1, columns.filter((column) => column.isMetric).length);
    cells.splice(data.x ? 2 : 1, 0, why);
  }
  if (front.has(i)) cells[0].append(" ★");
  return element("tr", { className: points.feasible[i] ? "" : "infeasible" }, ...cells);
}

function drawPoints() {
  const wanted = sortedPoints();
  const shown = wanted.slice(0, kMostRows);
  const table = element("table", {},
    element("thead", {}, element("tr", {}, ...columns.map(heading))),
    element("tbody", {}, ...shown.map(row)));
  document.getElementById("points-table").replaceChildren(table);
  document.getElementById("points-count").textContent =
    `${numberText(wanted.length)} of ${numberText(pointCount)} points` +
    (shown.length < wanted.length ? `, the first ${numberText(kMostRows)} shown (all are in results.csv)` : "") +
    (front.size > 0 ? "; ★ is on the Pareto front" : "");
}

document.getElementById("points-search").addEventListener("input", drawPoints);
document.getElementById("points-front").addEventListener("change", drawPoints);
drawPoints();

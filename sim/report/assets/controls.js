// Which plans the charts show, and at which batch.
function buildChips() {
  const box = document.getElementById("chips");
  data.families.forEach((label, family) => {
    const glyph = element("span", { textContent: `${shapeOf(family).glyph} ` });
    glyph.style.color = colourOf(family);
    const chip = element("button", { type: "button", className: "chip" }, glyph, label);
    chip.addEventListener("click", () => {
      state.shown.has(family) ? state.shown.delete(family) : state.shown.add(family);
      showChips();
    });
    box.append(chip);
  });
  for (const button of document.querySelectorAll("[data-show]")) {
    const families = {
      all: data.families.map((_, family) => family),
      none: [],
      front: [...familiesOnFront],
    }[button.dataset.show];
    button.addEventListener("click", () => {
      state.shown = new Set(families);
      showChips();
    });
  }
}

function showChips() {
  [...document.getElementById("chips").children].forEach((chip, family) => {
    chip.setAttribute("aria-pressed", state.shown.has(family));
  });
  drawAll();
}

function buildChartControls() {
  if (front.size === 0) hideSection("pareto");
  if (curveMetrics.length === 0) hideSection("curves");
  for (const over of document.querySelectorAll(".over-x")) over.textContent = data.x ? ` against ${data.x}` : "";
  for (const name of curveMetrics) {
    const canvas = element("canvas", { id: `curve-${name}` });
    document.getElementById("curve-charts").append(element("div", { className: "chart" }, canvas));
  }
  for (const control of document.querySelectorAll(".x-control")) control.hidden = !data.x;
  for (const label of document.querySelectorAll(".x-label")) label.textContent = data.x ?? "";
  const selects = [...document.querySelectorAll(".x-select")];
  for (const select of selects) {
    for (const value of xValues) select.append(new Option(numberText(value), value));
    select.value = state.x;
    select.addEventListener("change", () => {
      state.x = Number(select.value);
      for (const other of selects) other.value = select.value;
      drawBreakdown();
      drawMemory();
    });
  }
  document.getElementById("breakdown-unit").addEventListener("change", drawBreakdown);
}

buildChartControls();
buildChips();
showChips();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
addEventListener("beforeprint", () => charts.forEach((chart) => chart.resize()));

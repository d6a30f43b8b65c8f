// Draws the figures of a page, and nothing else: pages work without this file, with words and tables.
"use strict";

(function () {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");

  function colours() {
    const style = getComputedStyle(document.documentElement);
    return {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: style.getPropertyValue("--text").trim(), family: style.getPropertyValue("--font") },
      grid: style.getPropertyValue("--line").trim(),
    };
  }

  // The figure's colours are those of a light ground.
  const LIGHTER = { "#1f5fa8": "#7db8f5", "#8a6d1f": "#f0bd5f", "#b3541e": "#ff9d6b" };

  function lighter(trace) {
    const made = Object.assign({}, trace);
    for (const name of ["line", "marker"]) {
      const part = made[name];
      if (part && LIGHTER[part.color]) {
        made[name] = Object.assign({}, part, { color: LIGHTER[part.color] });
      }
    }
    if (made.fillcolor) {
      made.fillcolor = made.fillcolor.replace(/0\.1\d\)$/, "0.32)");
    }
    return made;
  }

  function draw(box) {
    const figure = JSON.parse(box.dataset.figure);
    const theme = colours();
    const layout = Object.assign({}, figure.layout, {
      paper_bgcolor: theme.paper_bgcolor,
      plot_bgcolor: theme.plot_bgcolor,
      font: theme.font,
      autosize: true,
    });
    if (box.clientWidth < 480) { // a legend of several lines would lie on the figure
      layout.legend = { orientation: "h", x: 0, y: -0.2, yanchor: "top" };
      layout.margin = Object.assign({}, layout.margin, { b: 110 });
      layout.height = 380;
    }
    // Also where the figure says nothing of an axis: Plotly's own grid is white on dark.
    for (const name of new Set(["xaxis", "yaxis", ...Object.keys(layout).filter((key) => /^[xy]axis/.test(key))])) {
      layout[name] = Object.assign({}, layout[name], {
        gridcolor: theme.grid, zerolinecolor: theme.grid, linecolor: theme.grid,
      });
    }
    const config = { displayModeBar: false, responsive: true, showTips: false };
    window.Plotly.react(box, dark.matches ? figure.data.map(lighter) : figure.data, layout, config);
  }

  function all() {
    if (window.Plotly) {
      document.querySelectorAll(".chart[data-figure]").forEach(draw);
    }
  }

  // A choice shows at once; the button stays for keyboards and for pages without this file.
  document.querySelectorAll("form.choices select").forEach(function (select) {
    select.addEventListener("change", function () { select.form.requestSubmit(); });
  });
  all();
  dark.addEventListener("change", all);
})();

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
    for (const name of Object.keys(layout)) {
      if (/^[xy]axis/.test(name)) {
        layout[name] = Object.assign({}, layout[name], {
          gridcolor: theme.grid, zerolinecolor: theme.grid, linecolor: theme.grid,
        });
      }
    }
    const config = { displayModeBar: false, responsive: true, showTips: false };
    window.Plotly.react(box, figure.data, layout, config);
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

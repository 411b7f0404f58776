// What needs a script: search, sorting of tables, plots. Without it all pages can be read.
"use strict";

const root = document.body.dataset.root;

// Search: the index is loaded when somebody goes to the field.

const form = document.querySelector(".search");
const field = form.querySelector("input");
const list = form.querySelector("ul");
const SHOWN = 12;
let chosen = -1;

function loadIndex() {
  if (document.getElementById("index-script")) return;
  const script = document.createElement("script");
  script.id = "index-script";
  script.src = `${root}static/search-index.js`;
  script.addEventListener("load", show);
  document.head.append(script);
}

function found(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length || !window.searchIndex) return [];
  // `365,040` is found as `365040`, too; single results come last.
  const rank = ([name, kind]) => (name.toLowerCase().startsWith(words[0]) ? 0 : 1) + (kind === "result" ? 2 : 0);
  const fits = ([name, kind]) => {
    const text = `${name} ${kind}`.toLowerCase();
    return words.every((word) => text.includes(word) || text.includes(word.replaceAll(",", "")));
  };
  return window.searchIndex.filter(fits).sort((a, b) => rank(a) - rank(b)).slice(0, SHOWN);
}

function show() {
  const entries = found(field.value);
  chosen = -1;
  field.removeAttribute("aria-activedescendant");
  list.replaceChildren(
    ...entries.map(([name, kind, page], place) => {
      const item = document.createElement("li");
      item.id = `found-${place}`;
      item.setAttribute("role", "option");
      const link = document.createElement("a");
      link.href = root + page;
      link.tabIndex = -1;
      link.textContent = name;
      const label = document.createElement("small");
      label.textContent = kind;
      link.append(" ", label);
      item.append(link);
      return item;
    }),
  );
  if (!entries.length && field.value.trim() && window.searchIndex) {
    const item = document.createElement("li");
    item.textContent = "No matches.";
    list.append(item);
  }
  open(list.childElementCount > 0);
}

function open(isOpen) {
  list.hidden = !isOpen;
  field.setAttribute("aria-expanded", String(isOpen));
}

function choose(step) {
  const options = [...list.querySelectorAll("[role=option]")];
  if (!options.length) return;
  chosen = (chosen + step + options.length) % options.length;
  options.forEach((option, place) => option.setAttribute("aria-selected", String(place === chosen)));
  field.setAttribute("aria-activedescendant", options[chosen].id);
  options[chosen].scrollIntoView({ block: "nearest" });
}

form.hidden = false;
field.addEventListener("focus", loadIndex);
field.addEventListener("input", () => { loadIndex(); show(); });
field.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    choose(event.key === "ArrowDown" ? 1 : chosen < 0 ? 0 : -1);
    event.preventDefault();
  } else if (event.key === "Escape") {
    open(false);
  }
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const links = list.querySelectorAll("a");
  const link = links[Math.max(chosen, 0)];
  if (link) location.href = link.href;
});
document.addEventListener("click", (event) => { if (!form.contains(event.target)) open(false); });
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(input|textarea|select)$/i.test(document.activeElement.tagName)) {
    field.focus();
    event.preventDefault();
  }
});

// Tables: a heading sorts by its column.

function cellKey(row, column) {
  const text = (row.cells[column]?.textContent ?? "").trim();
  const plain = text.replace(/,/g, "");
  const number = /^[a-z ]*-?\d/.test(plain) && !/^\d{4}-\d{2}/.test(plain) ? parseFloat(plain.replace(/^[a-z ]*/, "")) : NaN;
  return [text === "", number, text];
}

function sortBy(table, column, heading) {
  const rows = [...table.tBodies[0].rows];
  const ascending = heading.getAttribute("aria-sort") !== "ascending";
  const keyed = rows.map((row) => [cellKey(row, column), row]);
  keyed.sort(([a], [b]) => {
    if (a[0] !== b[0]) return a[0] - b[0];
    const both = !Number.isNaN(a[1]) && !Number.isNaN(b[1]);
    const order = both ? a[1] - b[1] : a[2].localeCompare(b[2], "en", { numeric: true });
    return ascending ? order : -order;
  });
  table.tBodies[0].append(...keyed.map(([, row]) => row));
  for (const other of table.tHead.querySelectorAll("[aria-sort]")) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
}

function makeSortable(table) {
  if (table.tBodies[0].rows.length < 3) return;
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => sortBy(table, column, heading));
  });
}

document.querySelectorAll("table.sortable").forEach(makeSortable);

// A table that is wider than the page says so.
const isWider = new ResizeObserver((entries) => requestAnimationFrame(() => {
  for (const { target } of entries) target.classList.toggle("wider", target.scrollWidth > target.clientWidth + 2);
}));
for (const region of document.querySelectorAll(".scroll")) isWider.observe(region);

// Downloads: the rows of a table as CSV, a plot as SVG or PNG.

function save(name, url) {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
}

function saveText(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  save(name, url);
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function fileName(ending) {
  const name = document.querySelector("h1").textContent.trim().toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return `${name}.${ending}`;
}

function csv(table) {
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const cells = (row) => [...row.cells].map((cell) => quoted(cell.textContent.trim().replace(/\s+/g, " ")));
  return [...table.rows].map((row) => `${cells(row).join(",")}\r\n`).join("");
}

function downloads(...made) {
  const line = document.createElement("p");
  line.className = "downloads";
  for (const [text, label, run] of made) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.setAttribute("aria-label", label);
    button.addEventListener("click", run);
    line.append(button);
  }
  return line;
}

for (const region of document.querySelectorAll(".scroll:has(table.sortable), #compared")) {
  const run = () => {
    const table = region.querySelector("table");
    if (table && !region.hidden) saveText(fileName("csv"), "text/csv", csv(table));
  };
  region.after(downloads(["CSV", `Download the table as CSV: ${region.getAttribute("aria-label")}`, run]));
}

// Plots. Colours are those of the style sheet, so that a dark page needs no other drawing.

const axis = {
  domainColor: "var(--line)", gridColor: "var(--grid)", tickColor: "var(--line)", labelColor: "var(--muted)",
  titleColor: "var(--muted)", labelFontSize: 12, titleFontSize: 12, titleFontWeight: 500, titlePadding: 8, labelLimit: 180,
};
const config = {
  background: "transparent", font: "system-ui, sans-serif", view: { stroke: null }, axis,
  axisY: { grid: true }, axisX: { grid: true },
  legend: {
    labelColor: "var(--ink)", titleColor: "var(--muted)", labelFontSize: 12, symbolSize: 90, symbolBaseFillColor: "var(--muted)",
    layout: { top: { direction: "vertical", anchor: "start" } },
  },
};

async function draw(figure) {
  const canvas = figure.querySelector(".canvas");
  const spec = JSON.parse(figure.querySelector("script").textContent);
  canvas.hidden = false;
  const options = {
    ast: true, actions: false, renderer: "svg", defaultStyle: false, config,
    tooltip: { disableDefaultStyle: true }, logLevel: vega.Error,
  };
  try {
    await vegaEmbed(canvas, spec, options);
    figure.dataset.drawn = "true";
  } catch (error) {
    canvas.hidden = true;
    console.error(error);
  }
}

// A file has no style sheet: the colours are written out.
async function savePlot(figure, format) {
  const style = getComputedStyle(document.documentElement);
  const source = JSON.stringify({ ...JSON.parse(figure.querySelector("script").textContent), width: 900 });
  const given = JSON.stringify({ ...config, background: "var(--paper)" });
  const [spec, colours] = [source, given].map((text) =>
    JSON.parse(text.replace(/var\((--[\w-]+)\)/g, (_, name) => style.getPropertyValue(name).trim())));
  const { view } = await vegaEmbed(document.createElement("div"), spec, { ast: true, actions: false, config: colours });
  if (format === "svg") saveText(fileName("svg"), "image/svg+xml", await view.toSVG());
  else save(fileName("png"), await view.toImageURL("png", 2));
  view.finalize();
}

for (const figure of window.vegaEmbed ? document.querySelectorAll("figure.plot") : []) {
  const made = ["svg", "png"].map((format) =>
    [format.toUpperCase(), `Download the plot as ${format.toUpperCase()}`, () => savePlot(figure, format)]);
  figure.querySelector(".canvas").after(downloads(...made));
}

async function drawAll() {
  // One after the other, so that the page can be read meanwhile.
  for (const figure of document.querySelectorAll("figure.plot:not([hidden])")) await draw(figure);
}

if (window.vegaEmbed) drawAll();

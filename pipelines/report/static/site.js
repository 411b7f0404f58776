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
  const rank = ([name]) => (name.toLowerCase().startsWith(words[0]) ? 0 : 1);
  const fits = ([name, kind]) => words.every((word) => `${name} ${kind}`.toLowerCase().includes(word));
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
    item.textContent = "Nothing has this name.";
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

for (const table of document.querySelectorAll("table.sortable")) {
  if (table.tBodies[0].rows.length < 3) continue;
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => sortBy(table, column, heading));
  });
}

// Plots. Colours are those of the style sheet, so that a dark page needs no other drawing.

const axis = {
  domainColor: "var(--line)", gridColor: "var(--grid)", tickColor: "var(--line)", labelColor: "var(--muted)",
  titleColor: "var(--muted)", labelFontSize: 12, titleFontSize: 12, titleFontWeight: 500, titlePadding: 8, labelLimit: 180,
};
const config = {
  background: "transparent", font: "system-ui, sans-serif", view: { stroke: null }, axis,
  axisY: { grid: true }, axisX: { grid: true },
  legend: { labelColor: "var(--ink)", titleColor: "var(--muted)", labelFontSize: 12, symbolSize: 90 },
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

async function drawAll() {
  // One after the other, so that the page can be read meanwhile.
  for (const figure of document.querySelectorAll("figure.plot")) await draw(figure);
}

if (window.vegaEmbed) drawAll();

// What needs a script: search, sorting of tables, plots. Without it all pages can be read.
"use strict";

const root = document.body.dataset.root;

// Text of documents: characters that show nothing, or that turn what stands beside them, are written out.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const shownText = (text) => String(text).replace(HIDDEN, (sign) => (sign === "\t" ? sign : `\\u{${sign.codePointAt(0).toString(16)}}`));
const WORDS = { mae: "MAE", mrr: "MRR", tpot: "time per output token (TPOT)", ttft: "time to first token (TTFT)", sdk_version: "SDK version", p50: "median" };
const words = (name) => WORDS[name] ?? (name ?? "").replaceAll("_", " ");

// `Inference latency, p99`; `Training time`, not `Training training time`.
function titled({ task, metric, statistic }) {
  const measured = words(metric);
  const text = task && measured.startsWith(words(task)) ? measured : `${words(task)} ${measured}`.trim();
  return `${text[0].toUpperCase()}${text.slice(1)}${statistic ? `, ${words(statistic)}` : ""}`;
}

// What is compared with what: the key of a question in the address of the page that compares.
const questionOf = (row) => [row.task, row.metric, row.statistic, row.unit].map((part) => part ?? "").join("|");
// At most six digits that mean something, as all pages have them.
const format = (value) => Number(value.toPrecision(6)).toLocaleString("en", { maximumSignificantDigits: 6 });

const lowered = (text) => `${text[0].toLowerCase()}${text.slice(1)}`;
const counted = (count, name) => `${count.toLocaleString("en")} ${name}${count === 1 ? "" : "s"}`;

function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  const { ariaLabelledby, ...others } = properties;
  if (ariaLabelledby) made.setAttribute("aria-labelledby", ariaLabelledby);
  Object.assign(made, others);
  for (const child of children) made.append(child instanceof Node ? child : shownText(child ?? ""));
  return made;
}

const link = (href, ...content) => element("a", { href }, ...content);

// Data comes as packed scripts: a page that is opened from the disk may load nothing else.
const asked = new Map();

async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed), (sign) => sign.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
}

function loadScript(address) {
  return new Promise((done, failed) => {
    const script = element("script", { src: root + address });
    script.addEventListener("load", done);
    script.addEventListener("error", () => failed(new Error(`${address} is not there`)));
    document.head.append(script);
  });
}

function loadData(name) {
  const load = async () => {
    await loadScript(`data/${name}.js`);
    return (await unpack(window.ledgerData[name])).json();
  };
  if (!asked.has(name)) asked.set(name, load());
  return asked.get(name);
}

// Search: what it finds by name is loaded when somebody goes to the field, values when somebody types digits.

const form = document.querySelector(".search");
const field = form.querySelector("input");
const list = form.querySelector("ul");
const [SHOWN, OF_A_KIND, DIGITS] = [14, 6, 2];
// What comes first; of equal kinds what fits best, then what has most results.
const KINDS = [["model", "platform"], ["vendor", "publisher"], ["comparison"], ["result"], ["source", "claim", "document"]];
const squashed = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
let chosen = -1;
let index = null;

async function loadIndex() {
  const { names, families } = await loadData("names");
  const comparisons = families.flatMap(([family, , questions]) => questions.map((row) => {
    const page = `compare.html#${new URLSearchParams({ model: family, question: questionOf(row) })}`;
    return [`${family}: ${titled(row)}, ${row.unit}`, "comparison", page, row.metric, row.results];
  }));
  index = [...names, ...comparisons].map(([name, kind, page, also, results]) => {
    const [plain, printed] = [squashed(name), (also ?? "").split(" | ").map(squashed)];
    return { name, kind, page, results, plain, printed, all: `${plain} ${printed.join(" ")} ${kind}` };
  });
}

// 0 for the name itself, 1 for its beginning, 2 for another part of it, 3 for another way to print it; null if it does not fit.
function fit(entry, parts) {
  if (!parts.every((part) => entry.all.includes(part))) return null;
  const whole = parts.join("");
  if (entry.plain === whole || entry.printed.includes(whole)) return 0;
  if (entry.plain.startsWith(whole)) return 1;
  return parts.every((part) => entry.plain.includes(part)) ? 2 : 3;
}

async function values(words) {
  const number = words.map((word) => word.replaceAll(",", "")).find((word) => /^\d*\.?\d+$/.test(word));
  const digits = (number ?? "").replace(".", "").replace(/^0+/, "").slice(0, DIGITS);
  if (digits.length < DIGITS) return [];
  const others = words.filter((word) => word.replaceAll(",", "") !== number).map(squashed);
  const found = [];
  for (const [text, unit, about, id] of await loadData(`values/${digits}`).catch(() => [])) {
    const plain = text.replaceAll(",", "");
    if (!plain.startsWith(number) || !others.every((word) => squashed(`${about} ${unit}`).includes(word))) continue;
    found.push({ name: `${text} ${unit}, ${about}`, kind: "result", page: `result.html#${id}`, fits: plain === number ? 0 : 1, results: 0 });
  }
  return found;
}

async function found(text) {
  const typed = text.toLowerCase().split(/\s+/).filter(Boolean);
  const parts = typed.map(squashed).filter(Boolean);
  if (!parts.length) return [];
  if (!index) await loadIndex();
  const entries = index.map((entry) => ({ ...entry, fits: fit(entry, parts) })).filter(({ fits }) => fits !== null);
  entries.push(...await values(typed));
  entries.sort((a, b) => a.fits - b.fits || b.results - a.results || a.name.localeCompare(b.name, "en", { numeric: true }));
  const groups = KINDS.map((kinds) => entries.filter(({ kind }) => kinds.includes(kind)).slice(0, OF_A_KIND));
  return groups.flat().slice(0, SHOWN);
}

async function show() {
  const typed = field.value;
  const entries = await found(typed);
  // Something else was typed meanwhile.
  if (typed !== field.value) return;
  chosen = -1;
  field.removeAttribute("aria-activedescendant");
  list.replaceChildren(...entries.map(({ name, kind, page }, place) => {
    const item = element("li", { id: `found-${place}` });
    item.setAttribute("role", "option");
    const target = link(root + page, name, " ", element("small", {}, kind));
    target.tabIndex = -1;
    item.append(target);
    return item;
  }));
  if (!entries.length && typed.trim()) list.append(element("li", {}, "No matches."));
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
field.addEventListener("focus", () => { if (!index) loadIndex(); });
field.addEventListener("input", show);
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
  if (table.tBodies[0].rows.length < 3 || table.querySelector("thead button")) return;
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => sortBy(table, column, heading));
  });
}

document.querySelectorAll("table.sortable").forEach(makeSortable);

// The table of results of a page has its first rows; the others are drawn from a script when somebody asks for them.
const COUNTED = ["accelerator_count", "batch_size", "sequence_length", "input_length", "output_length", "concurrency"];

function resultCell(row, column, pages) {
  const value = row[column] ?? "";
  const address = pages[column]?.[value];
  if (address) return [link(root + address, value)];
  if (column === "statistic") return [words(row.statistic)];
  if (column === "other_conditions" && value) return [element("span", { className: "clamp", title: shownText(value) }, value)];
  if (column === "batch_size" && value && row.batch_size_kind) return [value, " ", element("small", {}, words(row.batch_size_kind))];
  return [value];
}

function evidenceLink(row, text) {
  const made = [link(`${root}result.html#${row.result_id}`, text)];
  if (row.correction) made.push(" ", element("abbr", { title: "a known error of the source" }, "?"));
  return made;
}

async function loadRows(name) {
  const { columns, pages, rows } = await loadData(name);
  return { pages, rows: rows.map((cells) => Object.fromEntries(columns.map((column, at) => [column, cells[at]]))) };
}

async function fillTable(table) {
  const { pages, rows } = await loadRows(table.dataset.script);
  const condition = Object.entries(JSON.parse(table.dataset.condition));
  const columns = table.dataset.columns.split(" ").filter(Boolean);
  const made = [];
  for (const row of rows) {
    if (!condition.every(([name, value]) => row[name] === value)) continue;
    const cells = columns.map((column) => element("td",
      { className: COUNTED.includes(column) ? "n" : column === "other_conditions" ? "long" : "d" }, ...resultCell(row, column, pages)));
    made.push(element("tr", {}, element("td", { className: "n" }, ...evidenceLink(row, row.shown)), ...cells));
  }
  table.tBodies[0].replaceChildren(...made);
  table.caption.textContent = table.caption.textContent.replace(/; the first .*/, "");
}

for (const table of document.querySelectorAll("table[data-script]")) {
  const button = element("button", { type: "button" }, `Show all ${Number(table.dataset.rows).toLocaleString("en")} rows`);
  const line = element("p", { className: "further" }, button);
  button.addEventListener("click", async () => {
    await fillTable(table);
    line.remove();
  });
  table.closest(".scroll").after(line);
}

// A long list of models or platforms has a field that leaves the rows with some words.
for (const input of document.querySelectorAll("input[data-filter]")) {
  const rows = [...document.querySelectorAll(input.dataset.filter)];
  const texts = rows.map((row) => [row.textContent.toLowerCase(), squashed(row.textContent)]);
  const apply = () => {
    const parts = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    rows.forEach((row, at) => {
      row.hidden = !parts.every((part) => texts[at][0].includes(part) || (squashed(part) && texts[at][1].includes(squashed(part))));
    });
    for (const part of document.querySelectorAll("main section:has(table.sortable)")) {
      part.hidden = !part.querySelector("tbody tr:not([hidden])");
    }
    input.form.querySelector("[role=status]").textContent = `${rows.filter((row) => !row.hidden).length.toLocaleString("en")} of ${rows.length.toLocaleString("en")}`;
  };
  input.form.hidden = false;
  input.form.addEventListener("submit", (event) => event.preventDefault());
  input.addEventListener("input", apply);
}


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

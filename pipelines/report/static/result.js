// The page of a result, or of another printed place: drawn from the script that has its document.
"use strict";

const page = document.getElementById("result");
const AROUND = 2;
// White around the printed characters in a picture of a page, in points.
const [ASIDE, ABOVE] = [320, 110];

// The trace of an identifier, as `benchledger trace --format json` prints it, with the lines and the document of its script.
async function find(id) {
  if (!/^[0-9a-f]{3,}$/.test(id)) return null;
  const parts = await loadData(`ids/${id.slice(0, 2)}`).catch(() => ({}));
  const [name] = Object.entries(parts).find(([, ids]) => ids.includes(id.slice(2))) ?? [];
  if (!name) return null;
  const [{ document: printedIn, lines, traces }, { names }] = await Promise.all([loadData(name), loadData("names")]);
  const pageOf = (kind, key) => names.find(([text, of]) => text === key && of === kind)?.[2];
  const sourcePage = names.find(([, of, , also]) => of === "source" && also === printedIn.source)?.[2];
  const trace = traces.find((one) => one.id === id);
  return { row: {}, warnings: [], claims: [], steps: [], conditions: [], history: [], ...trace, lines, pageOf, document: printedIn, sourcePage };
}

const titleOf = (result) => result.document.title ?? result.document.source;

function where(result) {
  const { document: { publisher, published_on: published, edition }, place, row } = result;
  const isFacts = edition === "facts";
  return element("p", { className: "where" },
    link(root + result.sourcePage, titleOf(result)), `, ${publisher}, ${published ?? "publication date unknown"}: `,
    place.page ? `page ${place.page}, ` : "", `line ${place.line}, characters ${place.char_start} to ${place.char_end}`,
    place.file ? ` (${place.file})` : "", row.section ? `, under ${isFacts ? row.section : `“${row.section}”`}` : "",
    isFacts ? ". A facts edition of the document is stored: numbers as printed, text paraphrased" : "");
}

function printedLines(result) {
  const { lines, place: { note, line, first, char_start: start, char_end: end, text_printed: printed } } = result;
  const made = [];
  if (note) made.push(element("p", { className: "note" }, `${note}; the document prints `, element("mark", {}, printed)));
  const items = [];
  for (let number = first; first !== null && number <= line + AROUND; number += 1) {
    if (lines[number] === undefined) break;
    // Characters are counted as Unicode has them, not as a script does.
    const signs = [...lines[number]];
    const cut = (from, to) => signs.slice(from, to).join("");
    const text = number === line
      ? [cut(0, start), element("mark", {}, cut(start, end)), cut(end)]
      : [lines[number]];
    items.push(element("li", { className: number === line ? "here" : "" },
      element("span", { className: "number" }, number), element("span", { className: "text" }, ...text)));
  }
  if (items.length) made.push(element("ol", { className: "printed", ariaLabel: "Lines around the printed text" }, ...items));
  return made;
}

function drawing(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function crop({ crop: cropped, place: { x0, top, x1, bottom, text_printed: text } }) {
  if (!cropped) return [];
  const { picture, page: [width, height] } = cropped;
  const [left, upper] = [Math.max(0, x0 - ASIDE), Math.max(0, top - ABOVE)];
  const [right, lower] = [Math.min(width, x1 + ASIDE), Math.min(height, bottom + ABOVE)];
  const svg = drawing("svg", {
    viewBox: [left, upper, right - left, lower - upper].map((edge) => edge.toFixed(1)).join(" "),
    role: "img", "aria-label": `Part of the page with a frame around ${shownText(text)}`,
  },
  drawing("image", { href: root + picture, width, height }),
  drawing("rect", { x: x0 - 2, y: top - 2, width: x1 - x0 + 4, height: bottom - top + 4 }));
  return [element("figure", { className: "crop" }, link(root + picture, svg),
    element("figcaption", {}, "Excerpt of the page; ", link(root + picture, "full page")))];
}

function section(id, title, ...content) {
  return element("section", { ariaLabelledby: id }, element("h2", { id }, title), ...content);
}

function simpleTable(caption, headings, rows, label = caption) {
  const head = headings.map((text) => element("th", { scope: "col" }, text));
  const body = rows.map((cells) => element("tr", {}, ...cells.map((cell, place) =>
    element(place ? "td" : "th", place ? {} : { scope: "row" }, ...[cell].flat()))));
  return element("div", { className: "scroll", role: "region", ariaLabel: `${label}, as a table`, tabIndex: 0 },
    element("table", {}, element("caption", {}, caption), element("thead", {}, element("tr", {}, ...head)),
      element("tbody", {}, ...body)));
}

function placeOf({ level, page: pageNumber, line, char_start: start, char_end: end }) {
  if (!line) return words(level);
  return `${words(level)}, ${pageNumber ? `page ${pageNumber}, ` : ""}line ${line}, characters ${start} to ${end}`;
}

function claimsOf({ claims }) {
  if (!claims.length) return [];
  const items = claims.map(({ claim_id: id, text_printed: factor, sentence, is_paraphrase: isParaphrase, verdict, publisher }) =>
    element("li", {},
      link(`${root}claim/${id}.html`, element("span", { className: "factor" }, factor), " ",
        element(isParaphrase ? "span" : "q", { className: "sentence" }, sentence ?? factor), isParaphrase ? " (paraphrase)" : ""),
      element("span", { className: "about" }, element("span", { className: `verdict ${verdict}` }, words(verdict)), ` ${publisher}`)));
  return [section("claims", "Claims checked with this number", element("ul", { className: "claims" }, ...items))];
}

function ending(id) {
  return element("section", { className: "address", ariaLabelledby: "address" },
    element("h2", { id: "address" }, "Cite this page"),
    element("p", {}, "The address of this page is permanent: ", element("code", {}, `result.html#${id}`),
      ". On the command line: ", element("code", {}, `benchledger trace ${id}`)));
}

const warningsOf = ({ warnings }) => warnings.map((reason) =>
  element("p", { className: "warning" }, element("strong", {}, "Inconsistent:"), ` ${reason}.`));
const sourceOf = (result) => section("print", "Source", where(result), ...crop(result), ...printedLines(result));

const published = ({ first_published_on: first, last_published_on: last }) =>
  first ? (first === last ? first : `${first} to ${last}`) : "date unknown";

function drawResult(result) {
  const { row, value, steps, conditions, runs, history, pageOf } = result;
  const named = (kind, none) => {
    const address = pageOf(kind, row[kind]);
    return address ? link(root + address, row[kind]) : row[kind] ?? none;
  };
  const status = history.find(({ relation }) => relation === "this value")?.status ?? "not current";
  const made = [
    element("p", { className: "crumbs" }, link(`${root}models.html`, "Models"), " / ", named("model", "model not stated")),
    element("h1", {}, value),
    element("p", { className: "lead" }, row.model ?? "Unnamed model", `, ${lowered(titled(row))}, on `,
      named("platform", "platform not stated"), row.vendor ? ` of ${row.vendor}` : "",
      row.sdk_version ? `, release ${row.sdk_version}` : "", ". ",
      element("span", { className: `state ${status}` }, words(status)),
      row.correction ? element("span", { className: "flag" }, `known error of the source: ${words(row.correction)}`) : ""),
    ...warningsOf(result),
    sourceOf(result),
    section("steps", "From text to value", simpleTable("From the printed text to the stored value",
      ["Step", "From", "To", "Method"], steps.map(({ step, from, to, factor, how }) =>
        [step, from, `${to ?? ""}${factor && factor !== 1 ? ` (x ${format(factor)})` : ""}`, how]))),
    section("conditions", "Conditions", simpleTable("Conditions of the value, each with the place that states it",
      ["Condition", "Value", "Printed", "Where"], conditions.map((one) => [words(one.dimension), one.value,
        one.text_printed === null ? "" : [element("mark", {}, one.text_printed)], placeOf(one)]))),
  ];
  if (runs) {
    made.push(section("runs", "Runs", simpleTable("The runs behind the value", ["Time, s", "Status", "Scored as", "Line"],
      runs.map((run) => [run.training_time_s === null ? "" : format(run.training_time_s), run.status, words(run.scored_as), run.line]))));
  }
  const past = history.map((one) => {
    const places = one.results.flatMap(({ result_id: id, path, line }, at) =>
      [at ? element("br") : "", link(`#${id}`, `${path}, line ${line}`)]);
    return [one.relation, `${format(one.value)} ${one.unit}`, one.sdk_version, words(one.status), published(one), places];
  });
  made.push(section("history", "All values of this benchmark", simpleTable(
    "Other values by release, and how they relate to this value",
    ["This value", "Value", "Release", "Status", "Published", "Printed in"], past)));
  document.title = `${value}, ${row.model ?? "model not stated"} on ${row.platform ?? "platform not stated"} · benchledger`;
  return [...made, ...claimsOf(result), ending(result.id)];
}

function drawPlace(result) {
  const text = result.place.text_printed;
  const rests = (result.rests_on_it ?? []).map(({ kind, id, what }) => {
    const address = { result: `#${id}`, claim: `${root}claim/${id}.html` }[id && kind];
    return element("li", {}, `${kind}: `, address ? link(address, what) : what);
  });
  document.title = `${shownText(text)} in ${shownText(titleOf(result))} · benchledger`;
  return [
    element("p", { className: "crumbs" }, link(`${root}sources.html`, "Sources"), " / ", link(root + result.sourcePage, titleOf(result))),
    element("h1", {}, element("mark", {}, text)), ...warningsOf(result), sourceOf(result),
    ...rests.length ? [section("rests", "Used by", element("ul", {}, ...rests))] : [],
    ...claimsOf(result), ending(result.id),
  ];
}

async function drawFound() {
  const id = location.hash.slice(1);
  const result = id ? await find(id) : null;
  const nothing = id
    ? `This site has no result ${id}. It may have been removed with its document; the feed of changes says so.`
    : "The address of a result ends with its identifier: result.html#0123456789abcdef.";
  const made = result ? (result.kind === "result" ? drawResult(result) : drawPlace(result))
    : [element("h1", {}, "Result"), element("p", { role: "status" }, nothing)];
  page.replaceChildren(...made);
  page.dataset.drawn = id;
  for (const region of page.querySelectorAll(".scroll")) isWider.observe(region);
  window.scrollTo(0, 0);
}

window.addEventListener("hashchange", drawFound);
drawFound();

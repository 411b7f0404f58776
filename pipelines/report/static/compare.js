// The page that compares: choices are kept in the address, after `#`.
"use strict";

const choices = document.getElementById("compare");
// More marks than these cover each other; the table has all rows.
const MOST_MARKS = 400;
// Values further apart than this are drawn on a logarithmic scale: the small ones could not be told apart.
const LINEAR_UP_TO = 30;
const SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left"];
const LABELS = {
  model: "model",
  accelerator_count: "accelerators", precision: "precision", batch_size: "batch size", framework: "framework",
  batch_size_kind: "batch size kind", concurrency: "concurrency", request_rate: "request rate",
  publisher: "who measured", sdk_version: "software release", run_conditions: "other conditions",
  stage: "stage", phase: "phase", sequence_length: "sequence length", input_length: "input length",
  output_length: "output length", image_size: "image size", variant_name: "variant", is_packed: "packing",
  suite: "suite", division: "division", scenario: "scenario", configuration: "configuration",
};
// As main.platform_comparison has it: what the work was, and how it was run.
const WORK = ["model", "stage", "phase", "sequence_length", "input_length", "output_length", "image_size", "variant_name",
  "is_packed", "suite", "division", "scenario", "configuration"];
const RUN = ["accelerator_count", "precision", "batch_size_kind", "framework", "concurrency", "request_rate",
  "run_conditions", "publisher"];
// What a larger system does faster; a latency is not that of one accelerator.
const DIVIDED = ["throughput", "time_to_train", "training_time", "epoch_time"];
const FILTERS = ["vendor", "precision", "framework"];

const distinct = (rows, name) => [...new Set(rows.map((row) => row[name]).filter((value) => value !== null))].sort();
const byName = (a, b) => a.localeCompare(b, "en", { numeric: true });

function options(name, entries, chosen) {
  const select = choices.elements[name];
  select.replaceChildren(...entries.map(([value, text]) => new Option(text, value, false, value === chosen)));
  return select.value;
}

// What differs between two results, and the grade of the comparison.
function difference(row, other) {
  const said = (name) => (row[name] === null || other[name] === null ? `${LABELS[name]} stated on one side` : LABELS[name]);
  const differ = (names) => names.filter((name) => row[name] !== other[name]).map(said);
  const work = differ(row.task === "training" ? WORK : [...WORK, "batch_size"]);
  const run = differ(row.task === "training" ? [...RUN, "batch_size"] : RUN);
  if ((row.dataset === null) !== (other.dataset === null)) work.push("dataset stated on one side");
  else if (row.dataset !== other.dataset) (row.is_synthetic === other.is_synthetic ? work : run).push("dataset");
  if (row.vendor === other.vendor && row.sdk_version !== other.sdk_version) run.push(LABELS.sdk_version);
  for (const name of ["precision", "batch_size"]) {
    if (row[name] === null && other[name] === null) run.push(`${LABELS[name]} stated on no side`);
  }
  const unsaid = run.some((text) => /^(precision|batch size) stated on one side$/.test(text));
  return { grade: work.length || unsaid ? "indicative" : run.length ? "close" : "same", what: [...work, ...run] };
}

function read() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

function write(state) {
  const kept = Object.entries(state).filter(([, value]) => value);
  history.replaceState(null, "", `#${new URLSearchParams(kept)}`);
}

// Fill the choices with what there is, the chosen ones where there are such; gives the state and the rows to show.
async function choose(state) {
  const { families } = await loadData("names");
  const known = new Map(families.map(([family, script, questions]) => [family, { script, questions }]));
  const models = [...known.keys()].sort(byName);
  const model = options("model", models.map((name) => [name, name]), known.has(state.model) ? state.model : families[0]?.[0]);
  if (!known.has(model)) return [{}, []];
  const questions = known.get(model).questions.map((row) =>
    [questionOf(row), `${titled(row)}, ${row.unit} (${row.results.toLocaleString("en")})`]);
  const wanted = questions.some(([key]) => key === state.question) ? state.question : questions[0][0];
  const key = options("question", questions, wanted);
  const { rows } = await loadRows(known.get(model).script);
  const answers = rows.filter((row) => row.platform !== null && questionOf(row) === key);
  const made = { model, question: key };
  for (const name of FILTERS) {
    const entries = distinct(answers, name).map((value) => [value, value]);
    made[name] = options(name, [["", "all"], ...entries], state[name] ?? "");
  }
  const years = [...new Set(answers.map((row) => (row.last_published_on ?? "").slice(0, 4)).filter(Boolean))].sort();
  made.since = options("since", [["", "any year"], ...years.map((year) => [year, year])], state.since ?? "");
  const canDivide = DIVIDED.includes(key.split("|")[1]);
  choices.elements.per.disabled = !canDivide;
  choices.elements.per.value = made.per = canDivide && state.per === "accelerator" ? "accelerator" : "";
  choices.elements.scale.value = made.scale = ["log", "linear"].includes(state.scale) ? state.scale : "";
  made.reference = state.reference ?? "";
  const fits = (row) =>
    FILTERS.every((name) => !made[name] || row[name] === made[name]) &&
    (!made.since || (row.last_published_on ?? "") >= made.since);
  return [made, answers.filter(fits)];
}

// The value to compare; of a system whose size is not stated there is none per accelerator.
function shownValue(row, per) {
  if (per !== "accelerator") return row.value;
  if (!row.accelerator_count) return null;
  const isTime = !row.higher_is_better;
  return isTime ? row.value * row.accelerator_count : row.value / row.accelerator_count;
}

function compared(state, rows) {
  const measured = rows.map((row) => ({ ...row, shown: shownValue(row, state.per) })).filter((row) => row.shown !== null);
  measured.sort((a, b) => (a.higher_is_better ? b.shown - a.shown : a.shown - b.shown));
  const reference = measured.find((row) => row.result_id === state.reference) ?? measured[0];
  return measured.map((row) => {
    const ratio = row.higher_is_better ? row.shown / reference.shown : reference.shown / row.shown;
    return { ...row, ...difference(row, reference), ratio, isReference: row === reference };
  });
}

function unitOf(state, row) {
  if (state.per !== "accelerator") return row.unit;
  return row.higher_is_better ? `${row.unit} per accelerator` : `${row.unit} times accelerators`;
}

function specification(state, rows) {
  const vendors = distinct(rows, "vendor");
  const place = (vendor) => vendors.indexOf(vendor) % 8 + 1;
  const frameworks = distinct(rows, "framework");
  const batches = distinct(rows, "batch_size");
  const stated = (names, column) => (rows.some((row) => row[column] === null) ? [...names, "not stated"] : names);
  const domain = [...new Set(rows.map((row) => row.platform))];
  const on = (row) => [row.precision, row.batch_size && `batch ${row.batch_size}`, row.framework, row.other_conditions]
    .filter(Boolean).join(", ");
  const values = rows.slice(0, MOST_MARKS).map((row) => ({
    shown: row.shown, platform: row.platform, vendor: row.vendor ?? "not stated", framework: row.framework ?? "not stated",
    batch: row.batch_size ?? 0, text: `${format(row.shown)} ${unitOf(state, row)}`, on: on(row), grade: row.grade,
    page: evidence(row), said: `${row.platform}: ${format(row.shown)} ${unitOf(state, row)}, ${on(row)}`,
  }));
  // A narrow screen has room for two names beside each other.
  const columns = window.innerWidth < 640 ? 2 : 5;
  const legend = (title, shown) => (shown ? { title, orient: "top", columns, labelLimit: 150, titleOrient: "left" } : null);
  const [least, most] = [Math.min(...values.map((row) => row.shown)), Math.max(...values.map((row) => row.shown))];
  const log = least > 0 && (state.scale === "log" || (state.scale === "" && most / least > LINEAR_UP_TO));
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    width: "container", height: { step: 24 }, data: { values },
    params: [{ name: "chosen", select: { type: "point", fields: ["vendor"] }, bind: "legend" }],
    mark: { type: "point", filled: true, cursor: "pointer" },
    encoding: {
      x: {
        field: "shown", type: "quantitative", title: `${words(rows[0].metric)}, ${unitOf(state, rows[0])}`,
        axis: { format: ",.6~r", tickCount: 6, labelOverlap: true },
        scale: log ? { type: "log", nice: false } : { zero: true },
      },
      y: { field: "platform", type: "nominal", sort: null, title: null, scale: { domain } },
      color: {
        field: "vendor", type: "nominal", legend: legend("Vendor", true),
        scale: {
          domain: stated(vendors, "vendor"),
          range: [...vendors.map((vendor) => `var(--series-${place(vendor)})`), "var(--muted)"],
        },
      },
      shape: {
        field: "framework", type: "nominal", legend: legend("Framework", frameworks.length > 1),
        scale: { domain: stated(frameworks, "framework"), range: [...frameworks, ""].map((_, at) => SHAPES[at % SHAPES.length]) },
      },
      size: batches.length > 1
        ? { field: "batch", type: "quantitative", scale: { type: "sqrt", range: [50, 320] }, legend: legend("Batch size", true) }
        : { value: 100 },
      opacity: { condition: { param: "chosen", value: 0.85 }, value: 0.1 },
      href: { field: "page" }, description: { field: "said" },
      tooltip: [{ field: "text", title: "value" }, { field: "on" }, { field: "grade" }],
    },
  };
}

function evidence(row) {
  return `${root}result.html#${row.result_id}`;
}

function table(state, rows) {
  const columns = ["accelerator_count", "precision", "batch_size", "framework", "sdk_version", "last_published_on"];
  const used = columns.filter((name) => rows.some((row) => row[name] !== null));
  const models = distinct(rows, "model");
  const made = document.createElement("table");
  made.className = "sortable";
  made.createCaption().textContent = "Click a value to see its evidence, or a ratio to make that result the reference";
  const head = made.createTHead().insertRow();
  const titles = [unitOf(state, rows[0]), "Ratio", "Grade", "Differences", "Platform", ...models.length > 1 ? ["Model"] : [], "Vendor",
    ...used.map((name) => ({ last_published_on: "Published", sdk_version: "Release" })[name] ?? LABELS[name][0].toUpperCase() + LABELS[name].slice(1))];
  for (const [at, title] of titles.entries()) {
    const heading = document.createElement("th");
    heading.scope = "col";
    heading.textContent = title;
    if (at < 2) heading.className = "n";
    head.append(heading);
  }
  const body = made.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    const link = document.createElement("a");
    link.href = evidence(row);
    link.textContent = `${{ gt: "more than ", lt: "less than ", approx: "about ", up_to: "up to " }[row.bound] ?? ""}${format(row.shown)}`;
    line.insertCell().append(link);
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = row.isReference ? "1" : format(Number(row.ratio.toPrecision(3)));
    button.title = `Use ${row.platform} as the reference`;
    button.setAttribute("aria-pressed", String(row.isReference));
    button.addEventListener("click", () => compare({ ...state, reference: row.result_id }));
    line.insertCell().append(button);
    const cells = [row.isReference ? "" : row.grade, row.isReference ? "reference" : row.what.join(", "),
      row.platform, ...models.length > 1 ? [row.model] : [], row.vendor, ...used.map((name) => row[name])];
    for (const cell of cells) line.insertCell().textContent = cell ?? "";
    if (row.last_published_on) line.cells[line.cells.length - 1].className = "d";
    line.cells[0].className = line.cells[1].className = "n";
    line.cells[3].className = "long";
    line.cells[4].className = "d";
  }
  makeSortable(made);
  return made;
}

async function compare(state) {
  const [made, rows] = await choose(state);
  write(made);
  const found = rows.length ? compared(made, rows) : [];
  const summary = document.getElementById("summary");
  const figure = document.getElementById("comparison");
  const region = document.getElementById("compared");
  figure.hidden = region.hidden = !found.length;
  if (!found.length) {
    summary.textContent = made.per ? "No matching result states its number of accelerators." : "No result matches these choices.";
    return;
  }
  const count = (name) => {
    const { size } = new Set(found.map((row) => row[name]));
    return `${size} ${name}${size === 1 ? "" : "s"}`;
  };
  const left = rows.length - found.length;
  summary.textContent =
    `${found.length.toLocaleString("en")} results on ${count("platform")} of ${count("vendor")}. ` +
    `${found[0].higher_is_better ? "Higher" : "Lower"} is better.` +
    (left ? ` ${left} results do not state how many accelerators they ran on.` : "") +
    (found.length > MOST_MARKS ? ` The plot shows the best ${MOST_MARKS}.` : "");
  figure.querySelector("script").textContent = JSON.stringify(specification(made, found));
  region.replaceChildren(table(made, found));
  if (window.vegaEmbed) await draw(figure);
}

choices.hidden = false;
choices.addEventListener("change", () => compare({ ...read(), ...Object.fromEntries(new FormData(choices)) }));
choices.addEventListener("submit", (event) => event.preventDefault());
window.addEventListener("hashchange", () => compare(read()));
compare(read());

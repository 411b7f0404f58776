// The page that compares: choices are kept in the address, after `#`.
"use strict";

const choices = document.getElementById("compare");
// More marks than these cover each other; the table has all rows.
const MOST_MARKS = 400;
// Values further apart than this are drawn on a logarithmic scale: the small ones could not be told apart.
const LINEAR_UP_TO = 30;
// A logarithmic axis extends beyond the smallest and the largest value by this factor.
const MARGIN = 1.3;
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
  const known = new Map(families.map(([family, script, questions, frontier]) => [family, { script, questions, frontier }]));
  const models = [...known.keys()].sort(byName);
  const model = options("model", models.map((name) => [name, name]), known.has(state.model) ? state.model : choices.dataset.model);
  if (!known.has(model)) return [{}, []];
  const questions = known.get(model).questions.map((row) =>
    [questionOf(row), `${titled(row)}, ${row.unit} (${row.results.toLocaleString("en")})`]);
  const wanted = [state.question, choices.dataset.question].find((asked) => questions.some(([key]) => key === asked)) ?? questions[0][0];
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
  const [, metric, , unit] = key.split("|");
  const { frontier } = known.get(model);
  const points = frontier ? await loadRows(frontier) : { rows: [] };
  const against = [...new Map(points.rows.map((row) => [againstOf(row), row])).entries()];
  made.against = options("against", [["", "values by platform"], ...against.map(([one, row]) => [one, frontierTitle(row)])], state.against ?? "");
  made.prices = choices.elements.prices.value = state.prices ?? "";
  // An energy or a price belongs to a rate; a larger system is faster, but its latency is not that of one accelerator.
  const isRate = made.against !== "" || (metric.includes("throughput") && unit.endsWith("/s"));
  const possible = { accelerator: made.against === "" && DIVIDED.includes(metric), dollar: isRate, watt: isRate };
  for (const option of choices.elements.per.options) option.disabled = option.value !== "" && !possible[option.value];
  choices.elements.per.value = made.per = possible[state.per] ? state.per : "";
  made.embed = state.embed ?? "";
  document.body.classList.toggle("embedded", made.embed !== "");
  choices.elements.scale.value = made.scale = ["log", "linear"].includes(state.scale) ? state.scale : "";
  made.reference = state.reference ?? "";
  const fits = (row) =>
    FILTERS.every((name) => !made[name] || row[name] === made[name]) &&
    (!made.since || (row.last_published_on ?? "") >= made.since);
  const prices = new Map(rows.map((row) => [row.result_id, row]));
  const onFrontier = points.rows.filter((row) => againstOf(row) === made.against && fits(row))
    .map((row) => ({ ...prices.get(row.throughput_result_id), ...row, value_per_accelerator: row.throughput_per_chip }));
  return [made, answers.filter(fits), onFrontier];
}

// A frontier's question: which throughput against which latency.
const againstOf = (row) => [row.latency_metric, row.latency_statistic, row.metric, row.unit].map((part) => part ?? "").join("|");
const latencyOf = (row) => titled({ metric: row.latency_metric, statistic: row.latency_statistic });
const frontierTitle = (row) => `${row.unit} per chip against ${lowered(latencyOf(row))}, ${row.latency_unit}`;

// `H100 SXM=2.10; MI300X=1.85`: the reader's own prices, USD per hour of a chip.
function ownPrice(row, { prices }) {
  for (const part of prices.split(";")) {
    const [name, price] = part.split("=").map((text) => text.trim());
    if ([row.chip, row.platform].some((one) => one && squashed(one) === squashed(name)) && Number(price) > 0) return Number(price);
  }
  return null;
}

// The value to compare; null where the number of accelerators, a price or a power is not known.
function shownValue(row, state) {
  const price = ownPrice(row, state) ?? row.usd_per_chip_hour;
  switch (state.per) {
    case "dollar": return row.value_per_accelerator && price ? row.value_per_accelerator * 3600 / price : null;
    case "watt": return row.joules_per_item ? 1 / row.joules_per_item : null;
    case "accelerator":
      if (!row.accelerator_count) return null;
      return row.higher_is_better ? row.value / row.accelerator_count : row.value * row.accelerator_count;
    default: return row.throughput_per_chip ?? row.value;
  }
}

// What a value per dollar or watt was divided by, with where that is printed.
function divisor(row, state) {
  if (state.per === "dollar") {
    const own = ownPrice(row, state);
    if (own !== null) return [`${format(own)} USD/h, your price`];
    return [link(`${root}result.html#${row.price_evidence_id}`, `${format(row.usd_per_chip_hour)} USD/h`), `, ${row.price_is_of}`];
  }
  return [link(`${root}result.html#${row.power_evidence_id}`, `${row.power_basis} power`)];
}

function compared(state, rows) {
  const measured = rows.map((row) => ({ ...row, shown: shownValue(row, state) })).filter((row) => row.shown !== null);
  measured.sort((a, b) => (a.higher_is_better ? b.shown - a.shown : a.shown - b.shown));
  const reference = measured.find((row) => row.result_id === state.reference) ?? measured[0];
  return measured.map((row) => {
    const ratio = row.higher_is_better ? row.shown / reference.shown : reference.shown / row.shown;
    return { ...row, ...difference(row, reference), ratio, isReference: row === reference };
  });
}

function unitOf(state, row) {
  const item = row.unit.replace(/\/s$/, "");
  if (state.per === "dollar") return `${item} per USD`;
  if (state.per === "watt") return `${item} per joule`;
  if (state.against) return `${row.unit} per chip`;
  if (state.per !== "accelerator") return row.unit;
  return row.higher_is_better ? `${row.unit} per accelerator` : `${row.unit} times accelerators`;
}

// The rows that are drawn: all, or the best of each platform.
const mostOfEach = (rows) => Math.max(1, Math.floor(MOST_MARKS / new Set(rows.map((row) => row.platform)).size));

function marksOf(rows) {
  if (rows.length <= MOST_MARKS) return rows;
  const [most, counts] = [mostOfEach(rows), new Map()];
  return rows.filter(({ platform }) => {
    counts.set(platform, (counts.get(platform) ?? 0) + 1);
    return counts.get(platform) <= most;
  });
}

function specification(state, rows) {
  const vendors = distinct(rows, "vendor");
  const place = (vendor) => vendors.indexOf(vendor) % 8 + 1;
  const frameworks = distinct(rows, "framework");
  const batches = distinct(rows, "batch_size");
  const stated = (names, column) => (rows.some((row) => row[column] === null) ? [...names, "not stated"] : names);
  const drawn = marksOf(rows);
  const domain = [...new Set(drawn.map((row) => row.platform))];
  const on = (row) => [row.precision, row.batch_size && `batch ${row.batch_size}`, row.framework, row.other_conditions]
    .filter(Boolean).join(", ");
  const values = drawn.map((row) => ({
    shown: row.shown, platform: row.platform, vendor: row.vendor ?? "not stated", framework: row.framework ?? "not stated",
    batch: row.batch_size ?? 0, text: `${format(row.shown)} ${unitOf(state, row)}`, on: on(row), grade: row.grade,
    page: evidence(row), said: `${row.platform}: ${format(row.shown)} ${unitOf(state, row)}, ${on(row)}`,
  }));
  // A narrow screen has no room for names beside each other.
  const columns = window.innerWidth < 640 ? 1 : 5;
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
        scale: log ? { type: "log", nice: false, domain: [least / MARGIN, most * MARGIN] } : { zero: true },
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
        ? { field: "batch", type: "quantitative", scale: { type: "sqrt", range: [50, 320] }, legend: null }
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
  const isDivided = ["dollar", "watt"].includes(state.per);
  const titles = [unitOf(state, rows[0]), "Ratio", "Grade", "Differences", "Platform", ...models.length > 1 ? ["Model"] : [], "Vendor",
    ...isDivided ? [state.per === "dollar" ? "Price per chip" : "Power"] : [],
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
      row.platform, ...models.length > 1 ? [row.model] : [], row.vendor, ...isDivided ? [divisor(row, state)] : [], ...used.map((name) => row[name])];
    for (const cell of cells) line.append(element("td", {}, ...[cell].flat()));
    if (row.last_published_on) line.cells[line.cells.length - 1].className = "d";
    line.cells[0].className = line.cells[1].className = "n";
    line.cells[3].className = "long";
    line.cells[4].className = "d";
  }
  makeSortable(made);
  return made;
}

function frontierSpecification(state, rows) {
  const platforms = distinct(rows, "platform");
  const values = rows.map((row) => ({
    x: row.latency_value, y: row.shown, platform: row.platform, line: row.frontier_id, page: `${root}result.html#${row.throughput_result_id}`,
    text: `${format(row.shown)} ${unitOf(state, row)} at ${format(row.latency_value)} ${row.latency_unit}`, on: aboutPoint(row),
    said: `${row.platform}: ${format(row.shown)} ${unitOf(state, row)} at ${format(row.latency_value)} ${row.latency_unit}, ${aboutPoint(row)}`,
  }));
  const scale = (name) => {
    const [least, most] = [Math.min(...values.map((row) => row[name])), Math.max(...values.map((row) => row[name]))];
    return state.scale === "log" || (state.scale === "" && most / least > LINEAR_UP_TO) ? { type: "log", nice: false } : { zero: false };
  };
  const axis = { format: ",.6~r", tickCount: 6, labelOverlap: true };
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json", width: "container", height: 420, data: { values },
    mark: { type: "line", point: { filled: true, size: 70 }, strokeWidth: 1.5, cursor: "pointer" },
    encoding: {
      x: { field: "x", type: "quantitative", title: `${latencyOf(rows[0])}, ${rows[0].latency_unit}`, axis, scale: scale("x") },
      y: { field: "y", type: "quantitative", title: unitOf(state, rows[0]), axis, scale: scale("y") },
      detail: { field: "line" },
      color: {
        field: "platform", type: "nominal", legend: { title: "Platform", orient: "top", titleOrient: "left", columns: window.innerWidth < 640 ? 2 : 5 },
        scale: { domain: platforms, range: platforms.map((_, at) => `var(--series-${at % 8 + 1})`) },
      },
      href: { field: "page" }, description: { field: "said" }, tooltip: [{ field: "text", title: "value" }, { field: "on" }],
    },
  };
}

const aboutPoint = (row) => [row.platform, row.model, row.precision, row.framework, row.input_length && `input ${row.input_length}`,
  row.output_length && `output ${row.output_length}`, row.concurrency && `concurrency ${row.concurrency}`, row.batch_size && `batch ${row.batch_size}`,
  row.parallelism].filter(Boolean).join(", ");

function frontierTable(state, rows) {
  const columns = [["Platform", "platform"], ["Model", "model"], ["Vendor", "vendor"], ["Precision", "precision"], ["Framework", "framework"],
    ["Input tokens", "input_length"], ["Output tokens", "output_length"], ["Concurrency", "concurrency"], ["Batch", "batch_size"],
    ["Parallelism", "parallelism"], ["Published", "last_published_on"]];
  const used = columns.filter(([, name]) => rows.some((row) => row[name] !== null));
  const isDivided = ["dollar", "watt"].includes(state.per);
  const titles = [unitOf(state, rows[0]), `${latencyOf(rows[0])}, ${rows[0].latency_unit}`, ...isDivided ? ["Price or power"] : [], ...used.map(([title]) => title)];
  const body = rows.map((row) => element("tr", {},
    element("td", { className: "n" }, link(`${root}result.html#${row.throughput_result_id}`, format(row.shown))),
    element("td", { className: "n" }, link(`${root}result.html#${row.latency_result_id}`, format(row.latency_value))),
    ...isDivided ? [element("td", {}, ...divisor(row, state))] : [],
    ...used.map(([, name]) => element("td", { className: "d" }, row[name] ?? ""))));
  const made = element("table", { className: "sortable" },
    element("caption", {}, "Points that no other point of equal conditions dominates; click a value to see its evidence"),
    element("thead", {}, element("tr", {}, ...titles.map((title) => element("th", { scope: "col" }, title)))),
    element("tbody", {}, ...body));
  makeSortable(made);
  return made;
}

// The plot by its address, for a page of somebody else.
function showEmbed(made) {
  const address = new URL(location.href);
  address.hash = new URLSearchParams(Object.entries({ ...made, embed: "1" }).filter(([, value]) => value));
  document.getElementById("embed").textContent = `<iframe src="${address.href}" width="100%" height="600" loading="lazy" title="benchledger"></iframe>`;
}

async function compare(state) {
  const [made, rows, points] = await choose(state);
  write(made);
  showEmbed(made);
  const summary = document.getElementById("summary");
  const figure = document.getElementById("comparison");
  const region = document.getElementById("compared");
  const isFrontier = Boolean(made.against);
  const found = !isFrontier ? (rows.length ? compared(made, rows) : [])
    : points.map((row) => ({ ...row, shown: shownValue(row, made) })).filter((row) => row.shown !== null);
  figure.hidden = region.hidden = !found.length;
  if (!found.length) {
    summary.textContent = { accelerator: "No matching result states its number of accelerators.", dollar: "No price is known for these results: give your own.",
      watt: "No power is known for these results." }[made.per] ?? "No result matches these choices.";
    return;
  }
  const count = (name) => counted(new Set(found.map((row) => row[name])).size, name);
  figure.querySelector("figcaption").hidden = isFrontier;
  if (isFrontier) {
    const most = found.reduce((a, b) => (b.shown > a.shown ? b : a));
    const isRate = most.latency_metric === "throughput_per_user";
    const first = found.reduce((a, b) => ((isRate ? b.latency_value > a.latency_value : b.latency_value < a.latency_value) ? b : a));
    const said = (row) => [row.platform, ": ", link(`${root}result.html#${row.throughput_result_id}`, `${format(row.shown)} ${unitOf(made, row)}`), " at ",
      link(`${root}result.html#${row.latency_result_id}`, `${format(row.latency_value)} ${row.latency_unit}`)];
    summary.replaceChildren(
      element("strong", {}, `Which platform gives ${made.model} most at which ${lowered(latencyOf(most))}? `),
      "Most: ", ...said(most), `. ${isRate ? "Highest" : "Lowest"} ${lowered(latencyOf(first))}: `, ...said(first),
      `. ${counted(found.length, "point")} on ${count("platform")} of ${count("vendor")}; a line joins points of equal conditions that no other of them dominates.`);
  } else {
    const [best] = found;
    const left = rows.length - found.length;
    const what = lowered(titled(best));
    summary.replaceChildren(
      element("strong", {}, `Which platform has the ${best.higher_is_better ? "highest" : "lowest"} ${what}${made.per ? ` per ${made.per}` : ""} for ${made.model}? `),
      `${best.platform}${best.vendor ? ` of ${best.vendor}` : ""}, with `, link(evidence(best), `${format(best.shown)} ${unitOf(made, best)}`),
      ` (${[best.accelerator_count && counted(best.accelerator_count, "accelerator"), best.precision, best.framework, best.last_published_on].filter(Boolean).join(", ")}). ` +
      `${counted(found.length, "result")} on ${count("platform")} of ${count("vendor")}. ` +
      `${best.higher_is_better ? "Higher" : "Lower"} is better.` +
      (left ? ` ${left.toLocaleString("en")} results are not shown: they do not state how many accelerators they ran on, or no price or power is known.` : "") +
      (found.length > MOST_MARKS ? ` The plot shows the best ${mostOfEach(found)} of each platform.` : ""));
  }
  figure.querySelector("script").textContent = JSON.stringify((isFrontier ? frontierSpecification : specification)(made, found));
  region.replaceChildren((isFrontier ? frontierTable : table)(made, found));
  if (window.vegaEmbed) await draw(figure);
}

choices.hidden = false;
choices.addEventListener("change", () => compare({ ...read(), ...Object.fromEntries(new FormData(choices)) }));
choices.addEventListener("submit", (event) => event.preventDefault());
window.addEventListener("hashchange", () => compare(read()));
compare(read());

// SQL in the browser: DuckDB-WASM in a worker, on a copy of the warehouse. Nothing is asked of anybody: a page from the
// disk may not fetch, so engine and warehouse come as scripts, packed, when the first query is run.
"use strict";

const box = document.querySelector("#query");
const state = document.querySelector("#state");
const answer = document.querySelector("#answer");
const MAX_ROWS = 1000;
const ANSWER = "answer.csv";
let engine = null;

async function unpacked(name) {
  await loadScript(`explore/${name}.js`);
  const packed = window.exploreFiles[name];
  delete window.exploreFiles[name];
  return (await unpack(packed)).arrayBuffer();
}

// In the worker: what it would fetch is handed to it.
const HANDED_OVER = `
const handedOver = new Promise((done) => {
  const take = (event) => {
    if (!event.data.module) return;
    event.stopImmediatePropagation();
    self.removeEventListener("message", take);
    done(event.data.module);
  };
  self.addEventListener("message", take);
});
self.fetch = async () => new Response(await handedOver, { headers: { "content-type": "application/wasm" } });
`;

async function start() {
  const source = new Blob([HANDED_OVER, await unpacked("worker")], { type: "text/javascript" });
  const worker = new Worker(URL.createObjectURL(source));
  const waiting = new Map();
  let sent = 0;
  worker.addEventListener("message", ({ data }) => {
    const asked = waiting.get(data.requestId);
    if (!asked) return;
    waiting.delete(data.requestId);
    if (data.type === "ERROR") asked.failed(new Error(data.data.message));
    else asked.done(data.data);
  });
  const ask = (type, data, transfer = []) =>
    new Promise((done, failed) => {
      sent += 1;
      waiting.set(sent, { done, failed });
      worker.postMessage({ messageId: sent, type, data }, transfer);
    });
  const module = await unpacked("module");
  worker.postMessage({ module }, [module]);
  await ask("INSTANTIATE", ["http://module.invalid/", null]);
  const file = new Uint8Array(await unpacked("warehouse"));
  await ask("REGISTER_FILE_BUFFER", ["warehouse.duckdb", file], [file.buffer]);
  await ask("OPEN", { path: ":memory:" });
  const connection = await ask("CONNECT", null);
  // What is not in the engine would be fetched from its maker: nothing is.
  for (const setting of ["autoinstall_known_extensions", "autoload_known_extensions"])
    await ask("RUN_QUERY", [connection, `set ${setting} = false`]);
  await ask("RUN_QUERY", [connection, "attach 'warehouse.duckdb' as warehouse (read_only)"]);
  await ask("RUN_QUERY", [connection, "use warehouse"]);
  return async (query) => {
    await ask("REGISTER_FILE_BUFFER", [ANSWER, new Uint8Array(0)]);
    const inner = query.trim().replace(/;\s*$/, "");
    // Behind a line end, so that a comment in the last line ends before the bracket.
    await ask("RUN_QUERY", [connection, `copy (${inner}\n) to '${ANSWER}' (header, use_tmp_file false)`]);
    return rowsOf(new TextDecoder().decode(await ask("COPY_FILE_TO_BUFFER", ANSWER)));
  };
}

function rowsOf(text) {
  const rows = [];
  let row = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/g)) {
    if (!end && quoted === undefined && !plain && !row.length) break;
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end !== ",") {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

function table([heading, ...rows]) {
  const made = document.createElement("table");
  const line = (cells, name) => {
    const row = document.createElement("tr");
    row.append(
      ...cells.map((text) => {
        const cell = document.createElement(name);
        if (name === "th") cell.scope = "col";
        if (name === "td" && text && !Number.isNaN(Number(text))) cell.className = "n";
        cell.textContent = shownText(text);
        return cell;
      }),
    );
    return row;
  };
  made.createCaption().textContent = "Query result";
  made.createTHead().append(line(heading, "th"));
  made.createTBody().append(...rows.slice(0, MAX_ROWS).map((cells) => line(cells, "td")));
  return made;
}

// The query is in the address of the page, so that it can be shared.
function readAddress() {
  const query = new URLSearchParams(location.hash.slice(1)).get("query");
  if (query) box.value = query;
}

async function run() {
  history.replaceState(null, "", `#${new URLSearchParams({ query: box.value })}`);
  state.textContent = engine ? "Running the query." : "Loading the engine and the warehouse.";
  try {
    engine ??= start();
    const rows = await (await engine)(box.value);
    answer.replaceChildren(table(rows));
    const count = rows.length - 1;
    const left = count > MAX_ROWS ? `; the first ${MAX_ROWS.toLocaleString("en")} are shown` : "";
    state.textContent = `${count.toLocaleString("en")} ${count === 1 ? "row" : "rows"}${left}.`;
  } catch (error) {
    answer.replaceChildren();
    state.textContent = shownText(error.message.split("\n")[0]);
  }
  answer.hidden = !answer.childElementCount;
}

document.querySelector("#ask").hidden = false;
readAddress();
window.addEventListener("hashchange", readAddress);
document.querySelector("#run").addEventListener("click", run);
box.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
});
for (const example of document.querySelectorAll("details.question")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Run";
  button.addEventListener("click", () => {
    box.value = example.querySelector("pre").textContent;
    box.scrollIntoView({ block: "center" });
    run();
  });
  example.append(button);
}

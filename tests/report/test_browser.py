"""The site in a real browser: nothing is reported, nothing is asked of anybody else, plots are
drawn, harm is none.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import pytest
from conftest import HOSTILE_NAMES, Ledger
from lxml import html

from pipelines.report.site import FOLDER, engine_folder, write_site
from pipelines.settings import PROJECT
from pipelines.site_links import page_of
from pipelines.warehouse.reader import FILE_NAME, query_published

CHROMIUM = shutil.which("chromium")
# `[123:456:INFO:CONSOLE:7] "words", source: file:///...`
_CONSOLE = re.compile(r"CONSOLE[:(]\d+[)\]] (.*)")
# What the browser asks its maker for, whichever page it shows, has no page that asks.
_NO_PAGE = "not an origin"
_QUIET = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="the program chromium is not installed")


@dataclass(frozen=True)
class Shown:
    """A page as the browser has it when all scripts have run.

    Attributes:
        tree: Its elements.
        console: What stands in the console.
        asked: Addresses that were asked for.
    """

    tree: html.HtmlElement
    console: list[str]
    asked: set[str]


Browser = Callable[..., Shown]


@pytest.fixture
def browser(tmp_path: Path) -> Browser:
    """Opens a page from the disk."""

    def show(page: Path, *options: str, fragment: str = "") -> Shown:
        log = tmp_path / "network.json"
        command = [
            str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", *_QUIET, "--virtual-time-budget=20000",
            "--enable-logging=stderr", f"--log-net-log={log}", f"--user-data-dir={tmp_path / 'profile'}", *options,
            "--dump-dom", f"{page.as_uri()}#{fragment}",
        ]  # fmt: skip
        run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
        asked = set(_asked(log.read_text("utf-8", "replace")))
        return Shown(html.document_fromstring(run.stdout), _CONSOLE.findall(run.stderr), asked)

    return show


def _asked(log: str) -> Iterator[str]:
    """Addresses that a page has asked the network for: each event of the log is a line of JSON."""
    for line in log.splitlines():
        if '"initiator"' in line:
            event = json.loads(line.strip().rstrip(",").removesuffix("]"))["params"]
            if event["initiator"] != _NO_PAGE and not event["url"].startswith(("file:", "data:")):
                yield event["url"]


def test_a_request_would_be_seen(tmp_path: Path, browser: Browser) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        '<!doctype html><title>x</title><img src="http://127.0.0.1:9/x.png"><script>boom()</script>'
    )
    shown = browser(page)
    assert shown.asked == {"http://127.0.0.1:9/x.png"}
    assert any("boom is not defined" in line for line in shown.console)


def harmless(shown: Shown) -> None:
    assert shown.console == []
    assert shown.asked == set()


def test_every_kind_of_page_reports_nothing_and_asks_nobody(site: Path, browser: Browser) -> None:
    kinds = [
        "index.html",
        "compare.html",
        "models.html",
        "platforms.html",
        "sources.html",
        "claims.html",
        "audit.html",
        "explore.html",
    ]
    pages = [site / name for name in kinds]
    pages += [
        sorted((site / folder).rglob("*.html"))[0] for folder in ("platform", "source", "claim")
    ]
    for page in pages:
        shown = browser(page)
        harmless(shown)
        [search] = shown.tree.find_class("search")
        assert search.get("hidden") is None, page


_PRINTED = """
(select r.result_id as id, r.value_printed as printed, e.* from resolved.results as r
inner join resolved.evidence as e on r.evidence_id = e.evidence_id
where {} order by r.result_id limit 1)
"""


@pytest.mark.parametrize("which", ["e.page is not null", "e.page is null", "r.task = 'training'"])
def test_a_result_is_drawn_with_its_printed_characters_and_all_its_conditions(
    site: Path, browser: Browser, which: str
) -> None:
    [row] = query_published(site.parent, _PRINTED.format(which)).to_pylist()
    shown = browser(site / "result.html", fragment=row["id"])
    harmless(shown)
    [here] = shown.tree.find_class("here")
    assert here.find_class("number")[0].text == str(row["line"])
    assert here.xpath(".//mark")[0].text_content() == row["printed"]
    assert row["id"] in shown.tree.xpath("string(//section[@class='address'])")
    for section, table in (("conditions", "result_conditions"), ("history", None)):
        body = shown.tree.xpath(f"//section[@aria-labelledby='{section}']//tbody/tr")
        query = f"select * from resolved.{table} where result_id = ?" if table else None
        assert (
            len(body) == query_published(site.parent, query, [row["id"]]).num_rows
            if query
            else body
        )
    crop = shown.tree.find_class("crop")
    assert bool(crop) == bool(row["page"])
    if crop:
        # Left, top, right and bottom of the part that is shown, of the frame in it, and of the
        # characters.
        [drawing], [frame] = crop[0].iter("svg"), crop[0].iter("rect")
        view = [float(edge) for edge in drawing.get("viewbox").split()]
        box = [float(frame.get(name)) for name in ("x", "y", "width", "height")]
        outer, inner = ((x, y, -x - width, -y - height) for x, y, width, height in (view, box))
        printed = (row["x0"], row["top"], -row["x1"], -row["bottom"])
        assert all(a <= b <= c for a, b, c in zip(outer, inner, printed, strict=True))


def test_a_place_that_is_no_result_is_drawn_with_what_uses_it(site: Path, browser: Browser) -> None:
    [price] = query_published(
        site.parent,
        "select p.evidence_id, e.text_printed from resolved.prices as p inner join resolved.evidence as e "
        "on p.evidence_id = e.evidence_id order by p.evidence_id limit 1",
    ).to_pylist()
    shown = browser(site / "result.html", fragment=price["evidence_id"])
    harmless(shown)
    assert shown.tree.xpath("string(//div[@id='result']//h1)") == price["text_printed"]
    assert "price" in shown.tree.xpath("string(//section[@aria-labelledby='rests'])")
    missing = browser(site / "result.html", fragment="0123456789abcdef")
    assert "no result 0123456789abcdef" in missing.tree.xpath("string(//main)")


@pytest.mark.parametrize("model", ["ResNet-50 v1.5", "BERT-Large"])
def test_all_plots_are_drawn_with_their_marks_units_and_links(
    site: Path, browser: Browser, model: str
) -> None:
    shown = browser(site / page_of("model", model))
    harmless(shown)
    figures = shown.tree.xpath("//figure[@class='plot']")
    assert len(figures) >= 3
    for figure in figures:
        assert figure.get("data-drawn") == "true"
        [drawing] = figure.xpath(".//div[contains(@class, 'canvas')]//svg")
        values = json.loads(figure.xpath("./script")[0].text)
        layer = values.get("layer", [values])[-1]
        marks = (layer.get("data") or values["data"])["values"]
        symbols = drawing.xpath(
            ".//*[contains(@class, 'mark-symbol') and contains(@class, 'role-mark')]//*[@d]"
        )
        assert len(symbols) == len(marks)
        assert {symbol.get("aria-label") for symbol in symbols} == {
            f"{mark['text']}, {mark['on']}" for mark in marks
        }
        assert all(mark["page"].startswith("../result.html#") for mark in marks)
        titles = drawing.xpath(".//*[contains(@class, 'role-axis-title')]//text/text()")
        assert any(re.search(r", \S+$|^speedup|^SDK release$", title) for title in titles), titles
        assert "NaN" not in html.tostring(drawing).decode()


_CLICK = """
setTimeout(() => {
  const mark = document.querySelector("figure.plot .mark-symbol.role-mark path");
  const place = mark.getBoundingClientRect();
  for (const name of ["pointerover", "pointermove", "pointerdown", "mousedown", "pointerup", "mouseup", "click"])
    mark.dispatchEvent(new PointerEvent(name, { bubbles: true, clientX: place.x + 2, clientY: place.y + 2 }));
}, 4000);
"""


def test_a_mark_leads_to_its_evidence(site: Path, browser: Browser, tmp_path: Path) -> None:
    name = page_of("model", "ResNet-50 v1.5")
    shutil.copytree(site / "static", tmp_path / "static")
    (tmp_path / "static" / "click.js").write_text(_CLICK)
    text = (
        (site / name)
        .read_text("utf-8")
        .replace("</body>", '<script src="../static/click.js"></script></body>')
    )
    (tmp_path / "model").mkdir()
    (tmp_path / name).write_text(text, "utf-8")
    spec = json.loads(
        html.document_fromstring(text.encode()).xpath("//figure[@class='plot']/script")[0].text
    )
    first = spec["data"]["values"][0]
    shutil.copytree(site / "data", tmp_path / "data")
    shutil.copy(site / "result.html", tmp_path)
    shown = browser(tmp_path / name)
    assert shown.tree.xpath("string(//div[@id='result']//h1)") == first["text"]


_SEARCH_AND_SORT = """
const field = document.querySelector(".search input");
field.focus();
field.value = "bert large";
field.dispatchEvent(new Event("input"));
setTimeout(() => {
  field.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown" }));
  const heading = [...document.querySelectorAll("thead button")].find((button) => button.textContent === "Results");
  heading.click();
}, 2000);
"""


def test_the_search_finds_names_and_a_heading_sorts_its_table(
    site: Path, browser: Browser, tmp_path: Path
) -> None:
    for folder in ("static", "data"):
        shutil.copytree(site / folder, tmp_path / folder)
    (tmp_path / "static" / "type.js").write_text(f"(() => {{{_SEARCH_AND_SORT}}})();")
    text = (site / "models.html").read_text("utf-8")
    text = text.replace("</body>", '<script src="static/type.js" defer></script></body>')
    (tmp_path / "models.html").write_text(text, "utf-8")
    shown = browser(tmp_path / "models.html")
    harmless(shown)
    found = shown.tree.xpath("//ul[@id='found']/li[@role='option']")
    assert found[0].text_content() == "BERT-Large model"
    assert (found[0].get("aria-selected"), found[1].get("aria-selected")) == ("true", "false")
    assert found[0].xpath("./a/@href") == [page_of("model", "BERT-Large")]
    counts = [int(cell.text_content()) for cell in shown.tree.xpath("//tbody/tr/td[1]")]
    assert counts == sorted(counts)
    assert shown.tree.xpath("//th[@aria-sort='ascending']/button/text()") == ["Results"]


def test_the_rows_of_a_plot_stand_in_a_table_beside_it(site: Path) -> None:
    for row in query_published(
        site.parent, "select distinct model from main.batch_curves"
    ).to_pylist():
        tree = html.document_fromstring((site / page_of("model", row["model"])).read_bytes())
        for figure in tree.xpath("//figure[@class='plot']"):
            spec = json.loads(figure.xpath("./script")[0].text)
            layer = spec.get("layer", [spec])[-1]
            pages = {mark["page"] for mark in (layer.get("data") or spec["data"])["values"]}
            beside = figure.xpath("./details//a/@href") or figure.xpath(
                "ancestor::section//table//a/@href"
            )
            # A script has the further rows of a long table.
            goes_on = bool(figure.xpath("ancestor::section//table[@data-script]"))
            assert pages & set(beside) if goes_on else pages <= set(beside), figure.xpath(
                "string(figcaption)"
            )


def test_text_that_means_harm_runs_nowhere(
    hostile: Ledger, browser: Browser, tmp_path: Path
) -> None:
    folder = hostile.warehouse / FOLDER
    pages = [folder / name for name in ("index.html", "models.html", "claims.html", "sources.html")]
    pages += [folder / page_of("model", name) for name in HOSTILE_NAMES if "<" in name][:2]
    pages += sorted((folder / "source").glob("*.html"))[:1]
    for page in pages:
        shown = browser(page)
        harmless(shown)
        assert not shown.tree.xpath(
            "//script[not(@src) and not(@type='application/json')] | //main//img"
        ), page


_PAIR = """
select
    c.model_family, concat_ws('|', c.task, c.metric, coalesce(c.statistic, ''), c.unit) as question, c.left_result_id,
    c.right_result_id, c.grade, c.left_value, c.right_value, c.ratio
from main.platform_comparison as c
where c.ratio is not null and c.left_vendor is not null and c.grade = ?
order by c.left_vendor = c.right_vendor, c.left_result_id
limit 1
"""


@pytest.mark.parametrize("grade", ["close", "indicative"])
def test_the_page_that_compares_has_the_grades_of_the_warehouse(
    site: Path, browser: Browser, grade: str
) -> None:
    [pair] = query_published(site.parent, _PAIR, [grade]).to_pylist()
    state = {
        "model": pair["model_family"],
        "question": pair["question"],
        "reference": pair["left_result_id"],
    }
    shown = browser(site / "compare.html", fragment=urlencode(state))
    harmless(shown)
    [figure] = shown.tree.xpath("//figure[@id='comparison']")
    assert figure.get("data-drawn") == "true"
    rows = {
        row.xpath("./td[1]/a/@href")[0].partition("#")[2]: row
        for row in shown.tree.xpath("//div[@id='compared']//tbody/tr")
    }
    assert len(rows) == len(
        figure.xpath(
            ".//*[contains(@class, 'mark-symbol') and contains(@class, 'role-mark')]//*[@d]"
        )
    )
    assert rows[pair["left_result_id"]].xpath("./td[2]/button/@aria-pressed") == ["true"]
    ratio, found = (
        rows[pair["right_result_id"]].xpath(f"string(./td[{place}])") for place in (2, 3)
    )
    assert (float(ratio), found) == (pytest.approx(pair["ratio"], rel=0.01), grade)


def test_the_page_that_compares_opens_on_a_question_with_its_answer(
    site: Path, browser: Browser
) -> None:
    shown = browser(site / "compare.html")
    harmless(shown)
    said = shown.tree.xpath("string(//p[@id='summary'])")
    assert said.startswith("Which platform has the ")
    [answer] = shown.tree.xpath("//p[@id='summary']/a")
    first = shown.tree.xpath("//div[@id='compared']//tbody/tr[1]/td[1]/a")[0]
    assert answer.get("href") == first.get("href")
    assert "<iframe" in shown.tree.xpath("string(//*[@id='embed'])")


def test_a_reader_s_own_price_divides_a_rate(site: Path, browser: Browser) -> None:
    [row] = query_published(
        site.parent,
        "select c.*, r.model_family from main.current_results as c inner join resolved.results as r "
        "on c.result_id = r.result_id where c.metric = 'throughput' and c.value_per_accelerator is not null "
        "and c.chip is not null and c.unit like '%/s' order by c.result_id limit 1",
    ).to_pylist()
    question = "|".join(str(row[name] or "") for name in ("task", "metric", "statistic", "unit"))
    state = {"model": row["model_family"], "question": question, "per": "dollar"}
    state |= {"prices": f"{row['chip']}=2", "embed": "1"}
    shown = browser(site / "compare.html", fragment=urlencode(state))
    harmless(shown)
    [value] = shown.tree.xpath(
        f"//div[@id='compared']//a[contains(@href, '{row['result_id']}')]/text()"
    )
    per_dollar = row["value_per_accelerator"] * 3600 / 2
    assert float(value.replace(",", "")) == pytest.approx(per_dollar, rel=1e-5)
    assert "your price" in shown.tree.xpath("string(//div[@id='compared'])")
    assert "embedded" in shown.tree.xpath("string(//body/@class)")


_ASK = """
(() => {
  const queries = [...document.querySelectorAll("details.question button")];
  const said = document.querySelector("#state");
  let asked = -1;
  new MutationObserver(() => {
    if (/^(Working|Loading)/.test(said.textContent)) return;
    console.log(`ANSWER ${asked} ${said.textContent}`);
    asked += 1;
    if (asked < queries.length) queries[asked].click();
  }).observe(said, { childList: true });
  document.querySelector("#run").click();
})();
"""
_PATIENCE_S = 240


@pytest.mark.skipif(
    not (engine_folder() / "duckdb-eh.wasm").exists(),
    reason="DuckDB-WASM is not installed: `make explore` does it",
)
def test_the_worked_questions_are_answered_in_the_browser_as_they_are_here(
    site: Path, tmp_path: Path
) -> None:
    warehouse = tmp_path / "warehouse"
    warehouse.mkdir()
    shutil.copy(site.parent / FILE_NAME, warehouse)
    folder = write_site(warehouse, PROJECT / "raw", explore=True).start.parent
    page = folder / "explore.html"
    (folder / "static" / "ask.js").write_text(_ASK)
    page.write_text(
        page.read_text("utf-8").replace(
            "</body>", '<script src="static/ask.js" defer></script></body>'
        )
    )
    queries = sorted((PROJECT / "warehouse" / "queries").glob("*.sql"))
    # What DuckDB has as an extension is not in the engine, and is not fetched.
    expected = {
        number: query_published(warehouse, query.read_text("utf-8")).num_rows
        for number, query in enumerate(queries)
        if "json_" not in query.read_text("utf-8")
    }
    answers: dict[int, str] = {}
    said: list[str] = []
    command = [
        str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", *_QUIET, "--enable-logging=stderr",
        "--remote-debugging-port=0", f"--user-data-dir={tmp_path / 'profile'}", page.as_uri(),
    ]  # fmt: skip
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        timer = threading.Timer(_PATIENCE_S, process.kill)
        timer.start()
        for line in process.stderr or ():
            said += _CONSOLE.findall(line)
            if found := re.search(r'"ANSWER (-?\d+) (.*)", source', line):
                answers[int(found[1])] = found[2]
            if len(answers) > len(queries):
                process.kill()
        timer.cancel()
    counts = {
        number: int(re.sub(r"\D", "", answers[number].split(" row")[0]) or -1)
        for number in expected
    }
    assert counts == expected
    assert not [line for line in said if "Connecting to" in line or "Content Security" in line]

"""The site: whole, closed to the outside, harmless whatever documents say, and written only where
it has changed.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from conftest import HOSTILE_MODEL, HOSTILE_NAMES, Ledger
from lxml import etree, html
from typer.testing import CliRunner

from pipelines.cli.main import app
from pipelines.exceptions import BenchledgerError
from pipelines.own_files import marked
from pipelines.report import site as explore
from pipelines.report import site_pages as pages
from pipelines.report.rendering import digest, exact, interval, number, share, web_address
from pipelines.report.site import FOLDER, write_site
from pipelines.settings import PROJECT
from pipelines.site_links import page_of, rows_of, traced_page
from pipelines.terminal import is_hidden
from pipelines.trace.identifiers import Identifier
from pipelines.trace.traces import trace_rows
from pipelines.warehouse.reader import FILE_NAME, query_published

_ADDRESS = re.compile(
    r"""\s(href|src|action|srcset|poster|data|xlink:href)\s*=\s*["']([^"']*)["']"""
)
_ANCHOR = re.compile(r"""\sid="([^"]+)\"""")
_MAX_BYTES = 500_000
# What a result may add to the site.
_BYTES_OF_A_RESULT = 1_500


@cache
def text_of(path: Path) -> str:
    return path.read_text("utf-8")


@cache
def data_of(folder: Path, name: str) -> Any:
    """The content of a script of the site's data."""
    [packed] = re.findall(r'"\] = "([^"]*)";', text_of(folder / "data" / f"{name}.js"))
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def entry_of(folder: Path, id: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The script that has a result or another printed place, and what it has of it."""
    parts = data_of(folder, f"ids/{id[:2]}")
    [name] = [name for name, ids in parts.items() if id[2:] in ids]
    script = data_of(folder, name)
    [entry] = [one for one in script["traces"] if one["id"] == id]
    return script, entry


def pages_of(folder: Path) -> Iterator[Path]:
    found = sorted(folder.rglob("*.html"))
    assert found
    yield from found


@pytest.fixture(params=["site", "hostile"])
def written(request: pytest.FixtureRequest) -> Path:
    """First the site of the shipped documents, then of those that mean harm."""
    found = request.getfixturevalue(request.param)
    return found if isinstance(found, Path) else found.warehouse / FOLDER


# Whole and closed


def test_every_link_leads_to_a_page_and_a_place_of_the_site(written: Path) -> None:
    wrong, anchors = [], {}
    for page in pages_of(written):
        for _, address in _ADDRESS.findall(text_of(page)):
            parts = urlsplit(unescape(address))
            if parts.scheme in ("http", "https"):
                continue
            assert not parts.scheme, f"{page}: {address}"
            target = page if not parts.path else (page.parent / unquote(parts.path)).resolve()
            assert target.is_relative_to(written.resolve()) or target == page, f"{page}: {address}"
            if not target.is_file():
                wrong.append(f"{page.name}: {address}")
            elif parts.path.endswith("result.html"):
                assert entry_of(written, parts.fragment), f"{page}: {address}"
            # The page that compares keeps its choices there.
            elif parts.fragment and not parts.path.endswith("compare.html"):
                if target not in anchors:
                    anchors[target] = set(_ANCHOR.findall(text_of(target)))
                if parts.fragment not in anchors[target]:
                    wrong.append(f"{page.name}: {address}")
    assert wrong == []


def test_each_page_is_small_accessible_and_closed_to_the_outside(written: Path) -> None:
    kinds: dict[str, list[Path]] = {}
    for page in pages_of(written):
        assert page.stat().st_size <= _MAX_BYTES, page
        kinds.setdefault(page.relative_to(written).parts[0], []).append(page)
    # It stands at every address that is gone, so that nothing can stand beside it.
    [moved] = kinds.pop("404.html")
    [script] = re.findall(r"<script>(.*?)</script>", text_of(moved), re.DOTALL)
    assert f"script-src '{digest(script)}'" in unescape(text_of(moved))
    # Of thousands of pages made by one template some will do.
    for page in (page for found in kinds.values() for page in found[:: 1 + len(found) // 40]):
        tree = html.document_fromstring(text_of(page).encode())
        [policy] = tree.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy, "not even for the engine, which this site has not"
        for element in tree.iter(etree.Element):
            assert not [
                name for name in element.attrib if name.startswith("on") or name == "style"
            ], page
            for name in ("src", "href"):
                is_outside = re.match(r"[a-z]+:|//", element.get(name, ""))
                assert not is_outside or (
                    element.tag == "a" and "external" in element.get("rel", "")
                ), page
        scripts = tree.iter("script")
        assert all(one.get("src") or one.get("type") == "application/json" for one in scripts), page
        assert not tree.xpath("//style | //iframe | //object | //embed | //base"), page
        assert [len(tree.xpath(f"//{name}")) for name in ("h1", "header", "main", "footer")] == [
            1
        ] * 4, page
        assert tree.get("lang") == "en"
        assert all(table.xpath("caption") for table in tree.iter("table")), page
        assert all(figure.xpath("figcaption") for figure in tree.iter("figure")), page
        assert all(image.get("aria-label") for image in tree.xpath("//svg")), page
        ids = tree.xpath("//@id")
        assert len(ids) == len(set(ids)), page


def test_everything_in_the_warehouse_has_its_page(site: Path) -> None:
    def ask(query: str) -> list[str]:
        return [row["found"] for row in query_published(site.parent, query).to_pylist()]

    for model in ask("select distinct model as found from main.current_results"):
        assert (site / page_of("model", model)).is_file(), model
    for platform in ask("select distinct platform as found from main.current_results"):
        assert (site / page_of("platform", platform)).is_file(), platform
    for source in ask("select source as found from raw.sources"):
        assert (site / page_of("source", source)).is_file(), source
    for found in ask("select claim_id as found from resolved.claims"):
        assert (site / traced_page("claim", found)).is_file(), found
    for found in ask("select result_id as found from resolved.results"):
        assert traced_page("result", found) == f"result.html#{found}"
        assert entry_of(site, found)


# What stands on the pages


def test_a_result_has_its_printed_characters_its_conditions_its_steps_and_its_history(
    site: Path, part: Ledger
) -> None:
    rows = query_published(
        site.parent,
        "select r.result_id, r.value_printed, r.model, e.* from resolved.results as r "
        "inner join resolved.evidence as e on r.evidence_id = e.evidence_id order by r.result_id",
    ).to_pylist()
    some = rows[::100] + [row for row in rows if row["page"]]
    traces = trace_rows(
        site.parent, part.raw, [Identifier("result", row["result_id"]) for row in some]
    )
    for row, trace in zip(some, traces, strict=True):
        script, entry = entry_of(site, row["result_id"])
        place = entry["place"]
        text = script["lines"][str(row["line"])]
        assert text[place["char_start"] : place["char_end"]] == row["value_printed"]
        assert (place["line"], place["first"]) == (row["line"], trace["place"]["lines"][0]["line"])
        for line in trace["place"]["lines"]:
            assert script["lines"][str(line["line"])] == line["text"]
        told = json.loads(json.dumps(trace, default=str))
        for condition in told["conditions"]:
            del condition["evidence_id"]
        for name in ("steps", "conditions", "history", "runs"):
            assert entry.get(name, []) == told[name]
        assert entry["row"].get("model") == row["model"]
        assert script["document"] == told["document"]
        assert bool(entry.get("crop")) == bool(row["page"])
        if row["page"]:
            boxed = ("page", "x0", "top", "x1", "bottom")
            assert [place[name] for name in boxed] == [row[name] for name in boxed]
            assert (site / entry["crop"]["picture"]).is_file()


def test_what_does_not_fit_and_what_claims_rest_on_is_said_at_the_number(site: Path) -> None:
    unfit = query_published(
        site.parent,
        "select r.result_id, x.reason from audit.discrepancies as x "
        "inner join resolved.results as r on x.evidence_id = r.evidence_id",
    ).to_pylist()
    assert unfit
    for row in unfit:
        assert row["reason"] in entry_of(site, row["result_id"])[1]["warnings"]
    inputs = query_published(
        site.parent,
        "select v.claim_id, r.result_id from audit.claim_verdicts as v, unnest(v.inputs) as i(id) "
        "inner join resolved.results as r on i.id = r.evidence_id",
    ).to_pylist()
    assert inputs
    for row in inputs:
        claims = entry_of(site, row["result_id"])[1]["claims"]
        assert row["claim_id"] in [claim["claim_id"] for claim in claims]


def test_a_result_adds_little_to_the_site(site: Path) -> None:
    [row] = query_published(site.parent, "select count(*) as n from resolved.results").to_pylist()
    files = [path for path in site.rglob("*") if path.is_file()]
    # Of so few results a tenth of the bytes are those of the first one.
    data = [path for path in files if path.is_relative_to(site / "data")]
    assert sum(path.stat().st_size for path in data) < row["n"] * _BYTES_OF_A_RESULT
    assert not [path for path in files if path.parent.name == "result"]


def test_a_claim_shows_its_sentence_its_verdict_and_the_numbers_that_enter(site: Path) -> None:
    for claim in query_published(site.parent, "select * from main.claims").to_pylist():
        tree = html.document_fromstring(
            text_of(site / traced_page("claim", claim["claim_id"])).encode()
        )
        text = " ".join(tree.text_content().split())
        assert " ".join(claim["sentence"].split()) in text
        assert claim["verdict"].replace("_", " ") in text
        assert claim["reason"][1:] in text
        assert claim["is_paraphrase"]
        assert "(paraphrase)" in text
        assert len(tree.xpath("//figure[@class='line']//rect")) == 1 + (
            claim["recomputed_low"] is not None
        )
        if claim["verdict"] != "not_checkable":
            assert tree.xpath("//h3[text()='Numbers used']/following-sibling::ul[1]/li/a/mark")


def test_quotation_marks_are_for_originals(site: Path, hostile: Ledger) -> None:
    assert not [page for page in site.rglob("*.html") if "<q" in text_of(page)]
    pages_of = sorted((hostile.warehouse / FOLDER / "claim").rglob("*.html"))
    assert pages_of
    assert all("<q" in text_of(page) and "(paraphrase)" not in text_of(page) for page in pages_of)


def test_all_current_results_are_on_the_page_of_their_model_and_their_platform_or_in_its_script(
    site: Path,
) -> None:
    rows = query_published(
        site.parent,
        "select c.result_id, c.model, c.platform, r.model_family from main.current_results as c "
        "inner join resolved.results as r on c.result_id = r.result_id",
    ).to_pylist()
    for row in rows:
        for kind, of in (
            ("model", ("family", row["model_family"])),
            ("platform", ("platform", row["platform"])),
        ):
            text = text_of(site / page_of(kind, row[kind]))
            if f'{traced_page("result", row["result_id"])}"' in text:
                continue
            assert f'data-script="{rows_of(*of)}"' in text
            assert row["result_id"] in {one[0] for one in data_of(site, rows_of(*of))["rows"]}


def test_the_start_page_says_what_it_is_and_shows_what_the_audit_found(site: Path) -> None:
    tree = html.document_fromstring(text_of(site / "index.html").encode())
    assert "benchmarks" in tree.xpath("//h1")[0].text_content()
    # Three checks contradict it, more than any other number.
    first = tree.xpath("//div[@class='cards']/article")[0].text_content()
    assert "21,547 images/second for 4.9 s are about 105,580 samples" in first
    assert "fails 3 checks" in first


def test_who_leads_is_the_highest_rate_of_its_test(site: Path) -> None:
    tree = html.document_fromstring(text_of(site / "index.html").encode())
    rows = tree.xpath("//section[@aria-labelledby='leads']//tbody/tr")
    links = [row.xpath("./td[@class='n']/a/@href")[0].partition("#")[2] for row in rows]
    found = query_published(
        site.parent,
        "select * from main.current_results where suite is not null and metric = 'throughput'",
    ).to_pylist()
    by_id = {row["result_id"]: row for row in found}
    for row, result_id in zip(rows, links, strict=True):
        own = by_id[result_id]
        same = ("model", "scenario", "statistic", "unit", "vendor", "quality_target")
        rivals = [
            other["value_per_accelerator"]
            for other in found
            if all(other[name] == own[name] for name in same) and other["division"] != "Open"
        ]
        assert own["value_per_accelerator"] == max(filter(None, rivals))
        assert own["vendor"] in row.text_content()


def test_health_and_the_state_of_the_site_are_said(site: Path) -> None:
    [build] = query_published(site.parent, "select count(*) as n from raw.documents").to_pylist()
    withdrawn = query_published(
        site.parent,
        "select source, count(*) as n from main.result_history where status = 'withdrawn' group by source",
    ).to_pylist()
    assert withdrawn
    for name in ("sources.html", "audit.html"):
        tree = html.document_fromstring(text_of(site / name).encode())
        assert f"State of this site: {build['n']} documents" in tree.text_content()
        listed = {
            row.xpath("./th/a/@href")[0]: row.xpath("string(./td[last()])")
            for row in tree.xpath("//section[@aria-labelledby='health']//tbody/tr")
        }
        for row in withdrawn:
            assert listed[page_of("source", row["source"])] == str(row["n"])


def test_sources_that_need_a_look_are_listed_first(part: Ledger, tmp_path: Path) -> None:
    query = (PROJECT / "pipelines/report/sql/health.sql").read_text("utf-8")
    last = part.sql(query)[-1]
    assert (last["rejects"], last["is_degraded"], last["is_unreachable"]) == (0, False, False)
    ledger = part.copy_to(tmp_path)
    ledger.change(
        "insert into audit.rejects by name select document_id, 'table' as scope from raw.documents "
        f"where source = '{last['source']}' limit 1"
    )
    assert ledger.sql(query)[0]["source"] == last["source"]


def test_programs_find_their_way_by_llms_txt(site: Path) -> None:
    text = text_of(site / "llms.txt").rpartition("<!--")[0]
    addresses = re.findall(r"\]\(([^)]+)\)", text)
    assert len(addresses) > 10
    assert [one for one in addresses if not (site / one).is_file()] == []
    assert "&amp;" not in text


def test_a_long_table_of_results_continues_in_a_script_and_others_on_further_pages(
    site: Path, part: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "_RESULTS", 2)
    monkeypatch.setattr(pages, "_LEAST", 2)
    monkeypatch.setattr(pages, "_ROWS", 3)
    shutil.copy(site.parent / FILE_NAME, tmp_path)
    folder = write_site(tmp_path, part.raw).start.parent
    [model] = query_published(
        tmp_path,
        "select model from main.current_results group by all order by count(*) desc limit 1",
    ).to_pylist()
    tree = html.document_fromstring(text_of(folder / page_of("model", model["model"])).encode())
    tables = tree.xpath("//table[@data-script]")
    assert tables
    for table in tables:
        assert len(table.xpath("./tbody/tr")) == 2
        script = data_of(folder, table.get("data-script"))
        condition = json.loads(table.get("data-condition"))
        rows = [dict(zip(script["columns"], row, strict=True)) for row in script["rows"]]
        fitting = [row for row in rows if condition.items() <= row.items()]
        assert len(fitting) == int(table.get("data-rows"))
        links = table.xpath("./tbody/tr/td[1]/a/@href")
        assert [link.partition("#")[2] for link in links] == [
            row["result_id"] for row in fitting[:2]
        ]
    claims = query_published(tmp_path, "select claim_id from main.claims").to_pylist()
    shown = "".join(map(text_of, folder.glob("claims*.html")))
    assert all(traced_page("claim", row["claim_id"]) in shown for row in claims)
    assert len(list(folder.glob("claims*.html"))) > 1


def test_the_search_has_all_names_and_all_values_that_are_current(site: Path) -> None:
    names = {tuple(row[:2]) for row in data_of(site, "names")["names"]}
    rows = query_published(site.parent, "select * from main.current_results").to_pylist()
    for row in rows:
        assert {(row[kind], kind) for kind in ("model", "platform") if row[kind]} <= names
        text = number(row["value"])
        digits = re.sub(r"\D", "", text).lstrip("0")[:2]
        if len(digits) == 2:
            entry = [text, row["unit"]]
            found = [one for one in data_of(site, f"values/{digits}") if one[3] == row["result_id"]]
            assert [one[:2] for one in found] == [entry]


# Hostile text


def test_hostile_text_is_shown_as_text(hostile: Ledger) -> None:
    folder = hostile.warehouse / FOLDER
    names = [row["model"] for row in hostile.sql("select distinct model from resolved.results")]
    assert HOSTILE_MODEL in names
    assert len(names) > len(HOSTILE_NAMES)
    for name in names:
        page = folder / page_of("model", name)
        tree = html.document_fromstring(text_of(page).encode())
        shown = tree.xpath("//h1")[0].text_content()
        assert shown == "".join(
            c.encode("unicode_escape").decode() if is_hidden(c) else c for c in name
        )
    for script in (folder / "data").rglob("*.js"):
        assert text_of(script).isascii()
    for page in pages_of(folder):
        text = text_of(page)
        assert not {character for character in text if is_hidden(character)} - {"\n"}, page
        assert "<script>window" not in text
        assert "<img" not in text
        assert "{{" not in text.replace("{{ 7 * 7 }}", "")


def test_hostile_names_and_addresses_lead_nowhere(hostile: Ledger) -> None:
    folder = hostile.warehouse / FOLDER
    outside = {
        path for path in hostile.warehouse.parent.rglob("*escaped*") if folder not in path.parents
    }
    assert outside == set()
    for page in pages_of(folder):
        assert 'href="javascript:' not in text_of(page)
    assert web_address("javascript:alert(1)") is None
    assert web_address("https://example.org/") == "https://example.org/"
    assert web_address("https://[broken") is None


# Written anew


def test_a_site_is_written_where_it_changes_and_only_its_own_pages_are_removed(
    with_a_page: Ledger,
) -> None:
    first = write_site(with_a_page.warehouse, with_a_page.raw)
    folder = first.start.parent
    stamps = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    own, beside = folder / "CNAME", with_a_page.warehouse / "beside.html"
    own.write_text("benchmarks.example.org")
    beside.write_text("not of the site")
    gone = folder / "model" / "gone.html"
    gone.write_bytes(marked(b"was here"))
    with (folder / ".files").open("a") as listed:
        listed.write("model/gone.html\n../beside.html\n/etc/hostname\n")
    second = write_site(with_a_page.warehouse, with_a_page.raw)
    assert (first.changed > 0, second.changed, second.removed) == (True, 0, 1)
    assert (own.exists(), beside.exists(), gone.exists()) == (True, True, False)
    listed_now = folder / ".files"
    assert "gone" not in listed_now.read_text()
    assert [
        path
        for path, stamp in stamps.items()
        if path != listed_now and path.stat().st_mtime_ns != stamp
    ] == []
    assert not list(with_a_page.warehouse.glob(".site*"))


def test_nothing_is_written_through_a_link(with_a_page: Ledger, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder = with_a_page.warehouse / FOLDER
    folder.symlink_to(elsewhere)
    with pytest.raises(BenchledgerError, match="is a link"):
        write_site(with_a_page.warehouse, with_a_page.raw)
    folder.unlink()
    folder.mkdir()
    (folder / ".files").touch()
    (folder / "model").symlink_to(elsewhere)
    with pytest.raises(BenchledgerError, match="leads out of the site"):
        write_site(with_a_page.warehouse, with_a_page.raw)
    assert list(elsewhere.iterdir()) == []


def test_the_command_says_where_the_site_is(with_a_page: Ledger, tmp_path: Path) -> None:
    folders = ["--raw", str(with_a_page.raw), "--warehouse", str(with_a_page.warehouse)]
    result = CliRunner().invoke(app, ["report", *folders])
    assert result.exit_code == 0
    assert f"Open {with_a_page.warehouse / FOLDER / 'index.html'}" in result.stdout
    nothing = CliRunner().invoke(app, ["report", "--warehouse", str(tmp_path / "nothing")])
    assert nothing.exit_code == 1
    assert "run `benchledger build` first" in nothing.stderr


# SQL in the browser


def test_the_engine_is_part_of_the_site_on_request_alone(
    with_a_page: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = ["--raw", str(with_a_page.raw), "--warehouse", str(with_a_page.warehouse)]
    monkeypatch.setenv("BENCHLEDGER_DUCKDB_WASM", str(tmp_path))
    missing = CliRunner().invoke(app, ["report", "--explore", *folders])
    assert (missing.exit_code, "`make explore` installs DuckDB-WASM" in missing.stderr) == (1, True)
    for file, _ in explore._ENGINE.values():
        (tmp_path / file).write_bytes(b"engine")
    other = CliRunner().invoke(app, ["report", "--explore", *folders])
    assert (other.exit_code, "is not the one of DuckDB-WASM" in other.stderr) == (1, True)
    digest = hashlib.sha256(b"engine").hexdigest()
    tried = {name: (file, digest) for name, (file, _) in explore._ENGINE.items()}
    monkeypatch.setattr(explore, "_ENGINE", tried)
    assert CliRunner().invoke(app, ["report", "--explore", *folders]).exit_code == 0
    folder = with_a_page.warehouse / FOLDER
    [packed] = re.findall(
        r'"warehouse"\] = "([^"]+)";', (folder / "explore" / "warehouse.js").read_text()
    )
    published = (with_a_page.warehouse / FILE_NAME).read_bytes()
    assert gzip.decompress(base64.b64decode(packed)) == published
    assert 'id="query"' in (folder / "explore.html").read_text("utf-8")
    assert write_site(with_a_page.warehouse, with_a_page.raw, explore=True).changed == 0
    assert write_site(with_a_page.warehouse, with_a_page.raw).removed == 4
    assert "benchledger report --explore" in (folder / "explore.html").read_text("utf-8")


# Numbers


@pytest.mark.parametrize(
    ("value", "shown"),
    [(38036.0, "38,036"), (15.14172554, "15.1417"), (0.000012, "0.000012"), (0.0, "0"), (1956.846603, "1,956.85"),
     (365040.4, "365,040"), (1e9, "1,000,000,000"), (-2.5, "-2.5"), (float("inf"), "unlimited"), (None, "")],
)  # fmt: skip
def test_a_number_has_six_digits_that_mean_something(value: float | None, shown: str) -> None:
    assert number(value) == shown


def test_all_digits_of_a_number_stand_on_its_own_page() -> None:
    assert exact(15.14172554) == "15.14172554"
    assert exact(38036.0) == "38,036"
    assert interval(15.83, float("inf")) == "15.83 or more"
    assert share(12939, 12940) == "99.9%"
    assert share(12940, 12940) == "100%"

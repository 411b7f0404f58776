"""The site: whole, closed to the outside, harmless whatever documents say, and written only where
it has changed.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from conftest import HOSTILE_MODEL, HOSTILE_NAMES, Ledger, PageMaker
from lxml import etree, html
from typer.testing import CliRunner

from pipelines.cli.main import app
from pipelines.exceptions import BenchledgerError
from pipelines.own_files import marked
from pipelines.report import site as explore
from pipelines.report import site_pages as pages
from pipelines.report.links import page_of, traced_page
from pipelines.report.rendering import exact, interval, number, share, web_address
from pipelines.report.site import FOLDER, write_site
from pipelines.terminal import is_hidden
from pipelines.warehouse.reader import FILE_NAME, query_published

_ADDRESS = re.compile(
    r"""\s(href|src|action|srcset|poster|data|xlink:href)\s*=\s*["']([^"']*)["']"""
)
_ANCHOR = re.compile(r"""\sid="([^"]+)\"""")
_MAX_BYTES = 500_000


@cache
def text_of(path: Path) -> str:
    return path.read_text("utf-8")


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
    for kind, table in (("result", "resolved.results"), ("claim", "resolved.claims")):
        for found in ask(f"select {kind}_id as found from {table}"):
            assert (site / traced_page(kind, found)).is_file(), found


# What stands on the pages


def test_a_result_shows_its_printed_characters_its_conditions_and_its_steps(site: Path) -> None:
    rows = query_published(
        site.parent,
        "select r.result_id, r.value_printed, e.* from resolved.results as r "
        "inner join resolved.evidence as e on r.evidence_id = e.evidence_id order by r.result_id",
    ).to_pylist()
    for row in rows[::100] + [row for row in rows if row["page"]]:
        tree = html.document_fromstring(
            text_of(site / traced_page("result", row["result_id"])).encode()
        )
        [here] = tree.find_class("here")
        assert here.find_class("number")[0].text == str(row["line"])
        assert here.xpath(".//mark")[0].text_content() == row["value_printed"]
        conditions = tree.xpath("//section[@aria-labelledby='conditions']//tbody/tr")
        said = query_published(
            site.parent,
            "select * from resolved.result_conditions where result_id = ?",
            [row["result_id"]],
        )
        assert len(conditions) == said.num_rows
        crop = tree.find_class("crop")
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


def test_all_current_results_stand_on_the_page_of_their_model_and_their_platform(
    site: Path,
) -> None:
    rows = query_published(
        site.parent, "select result_id, model, platform from main.current_results"
    ).to_pylist()
    for row in rows:
        link = f'{traced_page("result", row["result_id"])}"'
        for page in (page_of("model", row["model"]), page_of("platform", row["platform"])):
            parts = (site / page).parent.glob((site / page).stem + "*.html")
            assert any(link in text_of(part) for part in parts), (page, link)


def test_the_start_page_says_what_it_is_and_shows_what_the_audit_found(site: Path) -> None:
    tree = html.document_fromstring(text_of(site / "index.html").encode())
    assert "benchmarks" in tree.xpath("//h1")[0].text_content()
    # Three checks contradict it, more than any other number.
    first = tree.xpath("//div[@class='cards']/article")[0].text_content()
    assert "21,547 images/second for 4.9 s are about 105,580 samples" in first
    assert "fails 3 checks" in first


def test_a_long_table_goes_on_on_further_pages(
    with_a_page: Ledger, monkeypatch: pytest.MonkeyPatch, page: PageMaker
) -> None:
    monkeypatch.setattr(pages, "_RESULTS", 2)
    monkeypatch.setattr(pages, "_LEAST", 2)
    rows = [
        {
            "Batch Size": str(2**size),
            "Throughput (items/sec)": f"{size}00",
            "Dataset": f"set {size}",
        }
        for size in range(1, 8)
    ]
    with_a_page.add(page(rows), "acme/more", "2023-02-01")
    assert with_a_page.build().success
    write_site(with_a_page.warehouse, with_a_page.raw)
    folder = with_a_page.warehouse / FOLDER
    results = with_a_page.sql("select result_id from main.current_results")
    parts = sorted(folder.glob("model/*-results-1-*.html"))
    assert len(parts) == -(-len(results) // 2) - 1
    shown = "".join(map(text_of, folder.glob("model/*.html")))
    assert all(shown.count(traced_page("result", row["result_id"]) + '"') >= 1 for row in results)


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
        r'warehouse = "([^"]+)";', (folder / "explore" / "warehouse.js").read_text()
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

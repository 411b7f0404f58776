"""A project: stored documents and the warehouse that is built from them, with a method for each
command.

Output belongs in `pipelines/cli`. Heavy imports are inside the methods.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pipelines.exceptions import (
    BUILT_WITH_LOSSES,
    BenchledgerError,
    WrongUseError,
    naming_extras,
    record_errors,
)
from pipelines.object_addresses import address_of, folder_of, refuse_nested, shown
from pipelines.settings import (
    DRAFT_FILE,
    LOCAL,
    MAPPING_FILE,
    cluster_address,
    raw_folder,
    warehouse_folder,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from benchledger.check import Check
    from benchledger.job import Outcome
    from benchledger.source_preview import SourcePreview
    from pipelines.export.descriptions import File
    from pipelines.ingest.fetch_log import Attempt
    from pipelines.ingest.store import Stored
    from pipelines.report.site import WrittenSite

# So much of a published value a number may differ from it and be as published.
TOLERANCE = 0.05
# Called with the finished steps, all steps, and the table or source of the last step.
Progress = Callable[[int, int, str], None]


class OpenQuestionsError(BenchledgerError):
    """A draft of a mapping with open questions or unread tables; the message lists them."""

    exit_status = BUILT_WITH_LOSSES


class Added(NamedTuple):
    """A document that was added."""

    stored: Stored  #: The stored document.
    tables: str  #: What a build reads of its tables, or the reason why it cannot read them.
    is_understood: bool  #: Whether all of its tables are read.
    third_party: list[str]  #: Results of platforms of another vendor, in words.
    attempt: Attempt | None  #: The fetch, for an address; None for a file.


class Fetched(NamedTuple):
    """The result of a fetch."""

    attempts: list[Attempt]  #: One per fetched source.
    faulty: dict[str, str]  #: Sources with unreadable files, not fetched, and the reason.
    warning: str | None  #: A sentence if Dagster could not record the fetches.
    lost: dict[str, str]  #: Sources whose new snapshot is not read as the one before, and how.


class Project:
    """A project: a folder with `raw/` and `warehouse/`, which need not exist yet.

    Dagster's runs are stored in the folder of `BENCHLEDGER_STATE`. Methods raise a
    `BenchledgerError` if a package of an extra is missing, and the errors below.

    Attributes:
        raw: Folder of the stored documents; for `s3://bucket/raw` the local copy.
        warehouse: Folder of the warehouse; for an address the local copy.
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        *,
        raw: str | Path | None = None,
        warehouse: str | Path | None = None,
    ) -> None:
        """Give its folder, or `raw` and `warehouse` as folders or addresses; default: those of the
        commands.
        """
        self.raw = folder_of(
            raw or (raw_folder() if folder is None else Path(folder, "raw"))
        ).resolve()
        own = warehouse_folder() if folder is None else Path(folder, "warehouse")
        self.warehouse = folder_of(warehouse or own).resolve()

    def __repr__(self) -> str:
        return f"benchledger.Project(raw={shown(self.raw)!r}, warehouse={shown(self.warehouse)!r})"

    @naming_extras()
    def stored(self) -> Path:
        """The folder of the stored documents; a local copy of an object store is updated first."""
        if address_of(self.raw):
            from pipelines.ingest.mirror import pull

            pull(self.raw)
        return self.raw

    @naming_extras()
    def published(self, *, previous: bool = False) -> Path:
        """The folder of the warehouse; a local copy of an object store is updated first.

        Args:
            previous: Also download the build before the last change of the results, for
                comparisons.
        """
        if address_of(self.warehouse):
            from pipelines.remote.publishing import bring

            bring(self.warehouse, previous=previous)
        return self.warehouse

    @naming_extras()
    def add(
        self,
        document: str | Path,
        source: str,
        *,
        published_on: date | None = None,
        format: str | None = None,
        title: str | None = None,
        url: str | None = None,
        interest: str | None = None,
        cadence: str | None = None,
        allow_hosts: Sequence[str] = (),
    ) -> Added:
        """Store a file, or register and fetch an address, as `benchledger add`.

        Raises:
            BenchledgerError: The document was not stored; the message has the reason.
        """
        from benchledger.source_preview import look_at_added
        from pipelines.extract.tables.mapping import MappingError
        from pipelines.ingest.mirror import commit
        from pipelines.ingest.snapshots import add_document
        from pipelines.ingest.store import stored_documents

        of_file: dict[str, Any] = {"published_on": published_on, "format": format, "url": url}
        of_address: dict[str, Any] = {"cadence": cadence, "allow_hosts": [*allow_hosts]}
        of_any: dict[str, Any] = {"title": title, "interest": interest}
        is_address = "://" in str(document)
        what, idle = ("an address", of_file) if is_address else ("a file", of_address)
        if given := [name for name, value in idle.items() if value]:
            option = given[0].replace("_", "-").removesuffix("s")
            raise WrongUseError(f"{given[0]} (--{option}) says nothing of {what}; leave it out")
        raw, attempt = self.stored(), None
        if is_address:
            attempt = self._register(str(document), source, **of_any, **of_address)
            stored = stored_documents(raw / source)[-1]
        else:
            add_file = partial(add_document, Path(document), source, raw, **of_any, **of_file)
            stored = commit(raw, source, add_file)
        try:
            found = look_at_added(stored, raw / source / MAPPING_FILE, self.published())
        except (WrongUseError, MappingError) as error:
            found = str(error), False, []
        return Added(stored, *found, attempt)

    @naming_extras()
    def remove(self, document: str, *, anyway: bool = False) -> list[str]:
        """Take a document out of the store that was added by mistake, as `benchledger remove`; the
        next build is as if it had never been there. Gives the removed paths below `raw/`.

        Args:
            document: Its path below `raw/`, or the last parts of it.
            anyway: Remove it although published results or claims rest on it.

        Raises:
            WrongUseError: No document, or several, are meant, or published rows rest on it.
        """
        from pipelines.ingest.mirror import commit, remove
        from pipelines.ingest.snapshots import remove_document
        from pipelines.ingest.store import read_store

        raw = self.stored()
        found = [
            row for row in read_store(raw).documents if f"/{row['path']}".endswith(f"/{document}")
        ]
        if len(found) != 1:
            meant = "no stored document" if not found else f"{len(found)} stored documents"
            raise WrongUseError(f"{document!r} means {meant}; give its path below {shown(raw)}")
        [row] = found
        words = "" if anyway else self._resting_on(row["document_id"])
        if words:
            raise WrongUseError(
                f"{row['path']} is not removed: the warehouse has {words} of it, which the next build "
                "has not, nor its history",
                hint="`--yes` (anyway=True) removes it",
            )
        removed = commit(raw, row["source"], partial(remove_document, raw / row["path"], raw))
        remove(raw, removed)
        return removed

    def _resting_on(self, document_id: str) -> str:
        """How many published rows are of a document, in words; "" for none."""
        from pipelines.warehouse.queries import command_rows
        from pipelines.warehouse.reader import WarehouseError

        try:
            found = command_rows(self.published(), "rows_of_document", [document_id]).to_pylist()
        except WarehouseError:
            return ""
        return ", ".join(f"{row['n']:,} {row['name']}" for row in found)

    def _register(self, url: str, name: str, **stated: Any) -> Attempt:
        """Register a source and take its first snapshot; a source that cannot be fetched is not
        registered.
        """
        from pipelines.ingest.fetch_log import SEEN
        from pipelines.ingest.mirror import commit
        from pipelines.ingest.registry import read_source, register, unregister
        from pipelines.ingest.sidecars import SOURCE_FILE

        is_new = not (self.raw / name / SOURCE_FILE).exists()
        source = commit(self.raw, name, partial(register, self.raw, name, url, **stated))
        try:
            [attempt] = self.fetch(name, force=True).attempts
        finally:
            # One that is interrupted may have stored the page.
            if is_new and not read_source(self.raw, name).last_seen_at:
                unregister(source)
        if attempt.outcome not in SEEN:
            words = f"nothing was stored{' or registered' if is_new else ''} of {url}"
            raise WrongUseError(f"{words}: {attempt.outcome}, {attempt.reason}")
        return attempt

    @naming_extras()
    def fetch(
        self,
        *names: str,
        force: bool = False,
        progress: Progress = lambda done, total, name: None,
    ) -> Fetched:
        """Fetch the sources that are due, or those named, and store changed pages, as
        `benchledger fetch`.

        Raises:
            BenchledgerError: A named source has no address or is not registered. Failed fetches are
                in the result.
        """
        from pipelines.assets.instance import InstanceError, open_instance
        from pipelines.assets.sources import record_looks
        from pipelines.ingest.fetching import fetch_sources
        from pipelines.ingest.registry import read_registry

        known = {source.name: source for source in read_registry(self.stored())}
        fetchable = {name for name, source in known.items() if source.source.url or source.fault}
        for name in names:
            if name in fetchable:
                continue
            words = f"is not registered; `benchledger add URL --source {name}` registers it"
            if name in known:
                words = "has no url; write `url: ...` into its source.yml"
            raise WrongUseError(f"{name} {words}")
        now = datetime.now(UTC)
        due = [name for name, source in known.items() if source.is_due(now)]
        chosen = [known[name] for name in dict.fromkeys(names or due)]
        # A source with unreadable files is never due; the others are fetched.
        faulty = {one.name: one.fault for one in known.values() if one.fault and not names}
        for source in list(chosen):
            until = source.last and source.last.not_before
            if until and until > now and not force:
                faulty[source.name] = f"its server asks to wait until {until:%Y-%m-%d %H:%M} UTC"
                chosen.remove(source)
        done = count(1)
        attempts = fetch_sources(
            chosen, self.raw, report=lambda one: progress(next(done), len(chosen), one.source)
        )
        warning = None
        try:
            with open_instance() as instance:
                record_looks(instance, attempts, self.raw)
        except record_errors(InstanceError, OSError) as error:
            # The documents are stored anyway.
            warning = f"the Dagster UI will not show these looks: {str(error).splitlines()[0]}"
        changed = {one.source for one in attempts if one.outcome == "changed"}
        looked_at = {name: self._lost(name) for name in sorted(changed)}
        lost = {name: words for name, words in looked_at.items() if words}
        return Fetched(attempts, faulty, warning, lost)

    def _lost(self, name: str) -> str:
        """What the newest snapshot of a source does not give any more, in words."""
        from benchledger.source_preview import lost_by_newest
        from pipelines.extract.tables.mapping import MappingError

        try:
            return lost_by_newest(self.raw, name)
        except (WrongUseError, MappingError) as error:
            return str(error)

    @naming_extras()
    def mapping(self, source: str) -> Path:
        """The path of the draft of a mapping, if there is one, else of the mapping, which need not
        exist.
        """
        from benchledger.source_preview import newest_documents

        newest_documents(self.stored(), source)
        drafted = self.raw / source / DRAFT_FILE
        return drafted if drafted.is_file() else self.raw / source / MAPPING_FILE

    @naming_extras()
    def map(self, source: str, *, again: bool = False, accept: bool = False) -> Path:
        """The path of the draft or the mapping of a source; if there is neither, a draft is
        written.

        Args:
            source: `publisher/source`.
            again: Write a new draft under a new name, and keep the existing files.
            accept: Make the draft the mapping; an existing mapping is kept as `mapping.before.yml`,
                or with a number.

        Raises:
            OpenQuestionsError: The draft has open questions or leaves tables unread.
        """
        from benchledger.source_preview import printed_pages
        from pipelines.extract.tables.draft import draft
        from pipelines.ingest.mirror import commit
        from pipelines.ingest.snapshots import alone
        from pipelines.own_files import create_file, keep_beside, work_folder

        mapping = self.raw / source / MAPPING_FILE
        if accept and not again:
            # One at a time: the next one finds no draft.
            with alone(self.raw):
                self._accept(source, mapping)
            return mapping
        file = self.mapping(source)
        if again or not file.is_file():
            drafted = self.raw / source / DRAFT_FILE
            tables = [table for page in printed_pages(self.raw, source) for table in page.tables]
            text = draft(tables, source)

            def write() -> Path:
                with work_folder(drafted) as work:
                    create_file(work / DRAFT_FILE, text.encode())
                    return keep_beside(work / DRAFT_FILE, drafted.with_suffix(""), ".yml")

            file = commit(self.raw, source, write)
        return file

    def _accept(self, source: str, mapping: Path) -> None:
        from pipelines.ingest.mirror import commit, remove
        from pipelines.own_files import give_name, keep_beside

        file = self.mapping(source)
        if file == mapping:
            raise WrongUseError(f"{source} has no {DRAFT_FILE}; its {MAPPING_FILE} is in use")
        looked_at = file.read_bytes()
        found = self.preview(source)
        if any(refusal.scope != "row" for refusal in found.refusals()):
            raise OpenQuestionsError(
                f"{shown(file)} leaves tables unread; `benchledger map {source}` shows why"
            )
        if keys := found.open_questions():
            words = f"correct it, or answer under `expected`: {', '.join(keys)}"
            raise OpenQuestionsError(f"{shown(file)} reads values that look wrong; {words}")

        def exchange() -> None:
            if file.read_bytes() != looked_at:
                raise WrongUseError(
                    f"{shown(file)} was changed meanwhile; look at it, and try again"
                )
            if mapping.exists():
                keep_beside(mapping, mapping.with_name("mapping.before"), ".yml")
            give_name(file, mapping)
            remove(self.raw, [f"{source}/{DRAFT_FILE}"])

        commit(self.raw, source, exchange)

    @naming_extras()
    def preview(self, source: str) -> SourcePreview:
        """What the draft or the mapping of a source reads of its newest snapshot, as
        `benchledger map`.

        Raises:
            OpenQuestionsError: The draft has open questions; the message lists them.
            BenchledgerError: The file is invalid; the message has the line.
        """
        from benchledger.source_preview import preview_source, questions_in
        from pipelines.extract.tables.mapping import MappingError

        file = self.mapping(source)
        try:
            return preview_source(self.raw, source, file, self.published())
        except MappingError as error:
            if not (questions := questions_in(file)):
                raise WrongUseError(str(error)) from error
            lines = "".join(f"\n  line {line}: {words}" for line, words in questions)
            raise OpenQuestionsError(f"{shown(file)} has open questions:{lines}") from error

    @naming_extras()
    def build(
        self,
        *,
        again: bool = False,
        cluster: str | None = None,
        progress: Progress = lambda done, total, name: None,
    ) -> Outcome | None:
        """Build the warehouse, as `benchledger build`; None if nothing has changed since the last
        build.

        Args:
            again: Build even if nothing has changed, and verify all evidence again.
            cluster: Scheduler of a Dask cluster that reads the documents, such as
                `tcp://scheduler:8786`.
            progress: Called after each step.

        Raises:
            BenchledgerError: Nothing was published, and the last good warehouse stays; the message
                has the reason.
        """
        from pipelines.ingest.store import read_store
        from pipelines.run.up_to_date import distrust, is_up_to_date, take_over_published

        refuse_nested(self.raw, self.warehouse)
        if (address := cluster or cluster_address()) != LOCAL:
            from pipelines.run.cluster import check_address

            check_address(address)
        raw = self.stored()
        take_over_published(self.warehouse)
        if not raw.is_dir():
            raise WrongUseError(f"there is no folder {raw}; add a document with `benchledger add`")
        if not again and is_up_to_date(self.warehouse, read_store(raw)):
            return None
        from benchledger.job import run_build

        if again:
            distrust(self.warehouse)
        outcome = run_build(raw, self.warehouse, progress, cluster=cluster)
        if not outcome.success:
            faults = outcome.faults or ["the build failed; the run in the Dagster UI says more"]
            raise BenchledgerError(
                "\n".join([*faults, "nothing was published; the last good warehouse stays"])
            )
        return outcome

    @naming_extras()
    def report(self, *, explore: bool = False) -> WrittenSite:
        """Write the site, `site/index.html` in the folder of the warehouse, as
        `benchledger report`.
        """
        from pipelines.report.site import write_site

        return write_site(self.published(), self.stored(), explore=explore)

    @naming_extras()
    def export(self, to: str | Path, *, spreadsheet: bool = False) -> list[File]:
        """Export all published tables as Parquet, CSV and DuckDB, as `benchledger export`; returns
        the files.
        """
        from pipelines.export.folder import export

        return export(self.published(), Path(to), is_for_spreadsheets=spreadsheet)

    @naming_extras()
    def check(
        self,
        file: str | Path,
        *,
        model: str | None = None,
        platform: str | None = None,
        conditions: Mapping[str, str] | None = None,
        mapping: str | Path | None = None,
        tolerance: float = TOLERANCE,
    ) -> Check:
        """Compare a measurement of one's own with the published results, as `benchledger check`;
        nothing is stored.

        Args:
            file: Output of a benchmark program, its records, or a page with tables.
            model: The model, where the file does not state it.
            platform: The platform, where the file does not state it, such as `H100 SXM`.
            conditions: Further conditions that the file does not state, as `{"batch_size": "8"}`.
            mapping: A mapping of the tables of the file.
            tolerance: Share of the published value up to which a number is as published.

        Raises:
            BenchledgerError: There is no warehouse or file, the mapping is invalid, or the file
                states another value of a condition.
        """
        from benchledger.check import check_file

        return check_file(
            self.published(),
            file,
            model=model,
            platform=platform,
            conditions=conditions,
            mapping=mapping,
            tolerance=tolerance,
        )

    def costs(
        self, model: str | None = None, *, prices: Mapping[str, float] | None = None
    ) -> pa.Table:
        """Costs of a million tokens, as `benchledger costs`: one row per current rate and price.

        Args:
            model: Only models whose name contains this text.
            prices: Prices of your own, in USD per chip and hour, by chip or platform, such as
                `{"H100 SXM": 2.10}`; they replace the listed ones of these chips.

        Raises:
            BenchledgerError: There is no warehouse, no rate of tokens is of such a chip or model,
                or a price is not above 0.
        """
        from benchledger.costs import costs_of_tokens

        return costs_of_tokens(self.published(), model, prices or {})

    def benchmark_reports(self) -> dict[str, str]:
        """Serving results as JSON in llm-d's schema of a Benchmark Report, version 0.2, by the name of
        the file: one of each model, platform and conditions, with the places of its numbers.
        """
        from pipelines.warehouse.queries import command_rows

        rows = command_rows(self.published(), "benchmark_reports").to_pylist()
        return {row["name"]: row["report"] for row in rows}

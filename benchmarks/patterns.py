"""Regular expressions whose time grows faster than their text:
`python benchmarks/patterns.py [FOLDER ...]`.

All patterns that the package compiles, when it is loaded and while it reads documents of each
format, are run on texts made to hold them up: for each repetition within a pattern what leads to
it, then what it repeats, then something that does not fit; and runs of one character, and short
words again and again. A pattern is run as the code runs it: by `search`, `match` or `fullmatch`, or
all of them where that is not seen. Printed is one line per offender, with the text that shows it;
exit status 1 where there is any. `--quick` tries a pattern that is slow for its size on fewer
texts, `--without` leaves a folder out.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import pkgutil
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
PACKAGE = str(PROJECT / "pipelines")

# Characters of a text, and how many times longer it grows. Linear time grows as much, quadratic
# sixteen times.
SIZES = (400, 1_600, 6_400)
GROWTH = 8.0
# What a pattern may cost in a quick look; most take a tenth of it for all texts.
QUICK_S = 0.01
# Below this time nothing can be said of its growth, and above it nothing needs to be measured any
# more.
FLOOR_S, CEILING_S = 0.0005, 0.5

UNITS = (
    " ", "\t", "\u00a0", "\n", "1", "a", "A", "a ", "a b ", "Aa ", "1 ", "1,", "1.", "1, ", "1.5 ", "1 a ", "a1", "a-",
    "A-", "A-1 ", "1-", "-", "--- ", "=", "a=1 ", "|", "| ", "a | ", "(", ")", "(a ", "[", "[(", "<", "{", "/", "a/",
    ":", "a: ", "1:", "'", '"', "*", "# ", ".", ". ", ",", ", ", "%", "$1 ", "x", "1x", "8x A100 ", "and ", "to ",
    "a, ", "a, and ", "é", "_", "a_",
)  # fmt: skip


def recorded() -> dict[tuple[str, int], list[re.Pattern[str]]]:
    """The patterns of the package, by the line that compiles them."""
    found: dict[tuple[str, int], list[re.Pattern[str]]] = {}
    real: Callable[..., Any] = re._compile  # type: ignore[attr-defined]

    def compile_and_note(pattern: Any, flags: Any) -> Any:
        compiled = real(pattern, flags)
        frame: FrameType | None = inspect.currentframe()
        # The package's own line lies behind those of `re`.
        while frame and frame.f_code.co_filename in (__file__, re.__file__):
            frame = frame.f_back
        if (
            frame
            and frame.f_code.co_filename.startswith(PACKAGE)
            and isinstance(compiled.pattern, str)
        ):
            place = str(Path(frame.f_code.co_filename).relative_to(PROJECT)), frame.f_lineno
            if compiled not in found.setdefault(place, []):
                found[place].append(compiled)
        return compiled

    re._compile = compile_and_note  # type: ignore[attr-defined]
    import pipelines

    for module in pkgutil.walk_packages(pipelines.__path__, "pipelines."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    from pipelines.extract.contract import formats
    from pipelines.extract.reading import StoredDocument, read_document

    for name in formats():
        for path in sorted((PROJECT / "tests" / "fixtures" / name).glob("*.txt"))[:2]:
            read_document(StoredDocument("0" * 64, path, name))
    re._compile = real  # type: ignore[attr-defined]
    return found


# Texts made from a pattern


def _sample(node: Any) -> str:
    """Some text that a parsed pattern matches, or nearly."""
    parts = []
    for operation, argument in node:
        match str(operation):
            case "LITERAL":
                parts.append(chr(argument))
            case "NOT_LITERAL":
                parts.append("b" if argument == ord("a") else "a")
            case "ANY":
                parts.append("a")
            case "IN":
                parts.append(_member(argument))
            case "BRANCH":
                parts.append(_sample(argument[1][0]))
            case "SUBPATTERN":
                parts.append(_sample(argument[-1]))
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                low, high, body = argument
                parts.append(_sample(body) * max(low, 1 if high else 0))
            case "ATOMIC_GROUP":
                parts.append(_sample(argument))
    return "".join(parts)


def _member(members: list[Any]) -> str:
    if str(members[0][0]) == "NEGATE":
        return next((c for c in "a1 .-x|" if not _holds(members[1:], c)), "a")
    operation, argument = members[0]
    match str(operation):
        case "LITERAL":
            return chr(argument)
        case "RANGE":
            return chr(argument[0])
        case _:
            return {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a"}.get(
                str(argument), "-"
            )


def _holds(members: list[Any], character: str) -> bool:
    for operation, argument in members:
        match str(operation):
            case "LITERAL" if chr(argument) == character:
                return True
            case "RANGE" if argument[0] <= ord(character) <= argument[1]:
                return True
            case "CATEGORY":
                category = str(argument).removeprefix("CATEGORY_").lower()
                tests = {"digit": str.isdigit, "space": str.isspace, "word": str.isalnum}
                if category in tests and tests[category](character):
                    return True
    return False


def _repeats(node: Any, before: str) -> Iterator[tuple[str, str]]:
    """For each repetition without end: a text that leads to it, and what it repeats."""
    for index, (operation, argument) in enumerate(node):
        lead = before + _sample(node[:index])
        match str(operation):
            case "MAX_REPEAT" | "MIN_REPEAT":
                _, high, body = argument
                if high > 50:
                    yield lead, _sample(body)
                yield from _repeats(body, lead)
            case "SUBPATTERN":
                yield from _repeats(argument[-1], lead)
            case "BRANCH":
                for branch in argument[1]:
                    yield from _repeats(branch, lead)
            case "ASSERT" | "ASSERT_NOT":
                yield from _repeats(argument[1], lead)


def texts(pattern: re.Pattern[str]) -> dict[str, Callable[[int], str]]:
    """Makers of texts of about a length, by what the text is made of."""
    made: dict[str, Callable[[int], str]] = {}

    def add(head: str, unit: str, tail: str) -> None:
        if unit:
            made.setdefault(
                f"{head!r} + {unit!r} * n + {tail!r}",
                lambda size: head + unit * (size // len(unit)) + tail,
            )

    parsed = re._parser.parse(pattern.pattern, pattern.flags)  # type: ignore[attr-defined]
    add("", _sample(parsed), "\0")
    for lead, unit in _repeats(parsed, ""):
        add(lead, unit, "\0")
        add("", lead + unit, "\0")
        add(lead, unit + " ", "\0")
        add(lead, " ", "\0")
        # What stands behind a repetition of anything but blanks is most often a number.
        add(lead, "1", "\0")
        add("", lead, "\0")
    for unit in UNITS:
        add("", unit, "\0")
        add("a", unit, "a")
    return made


# Times


class TooLong(Exception):  # noqa: N818
    """A run that was broken off."""


def _break_off(number: int, frame: FrameType | None) -> None:
    raise TooLong


def seconds(run: Callable[[str], Any], text: str, runs: int = 3) -> float:
    """Time of the quickest of some runs, as other programs run beside this one; broken off above
    the ceiling.
    """
    least = CEILING_S
    for _ in range(runs):
        started = time.perf_counter()
        try:
            # Processor time, so that only this program breaks it off.
            signal.setitimer(signal.ITIMER_VIRTUAL, CEILING_S)
            run(text)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        except TooLong:
            return CEILING_S
        least = min(least, time.perf_counter() - started)
        if least < FLOOR_S:
            break
    return least


def _all_of(pattern: re.Pattern[str]) -> Callable[[str], Any]:
    return lambda text: sum(1 for _ in pattern.finditer(text))


def growth(run: Callable[[str], Any], make: Callable[[int], str]) -> float:
    """How many times longer a text of four times the length takes; 0 where even the longer one is
    quick.
    """
    small, middle, large = SIZES
    after = seconds(run, make(middle))
    if not FLOOR_S < after < CEILING_S:
        return 0.0 if after <= FLOOR_S else float("inf")
    times = after / seconds(run, make(small))
    return times if times < GROWTH or after > CEILING_S / 16 else seconds(run, make(large)) / after


METHODS: dict[str, Callable[[re.Pattern[str]], Callable[[str], Any]]] = {
    "search": _all_of,
    "match": lambda pattern: pattern.match,
    "fullmatch": lambda pattern: pattern.fullmatch,
}
_SEARCHING = ("search", "finditer", "findall", "sub", "subn", "split")


@cache
def sources() -> dict[Path, str]:
    """The text of every module of the package."""
    return {path: path.read_text("utf-8") for path in sorted((PROJECT / "pipelines").rglob("*.py"))}


@cache
def statements(file: str) -> list[ast.stmt]:
    """The statements of a module."""
    return ast.parse(sources()[PROJECT / file]).body


def methods(file: str, line: int) -> set[str]:
    """How the pattern of a line is used: all ways where its name is not found, or is handed on."""
    around = [node for node in statements(file) if node.lineno <= line <= (node.end_lineno or 0)]
    name = next(filter(None, map(_name, around)), None)
    if name is None:
        return {*METHODS}
    used: set[str] = set()
    for path, text in sources().items():
        if path != PROJECT / file and (name.startswith("_") or name not in text):
            continue
        for use in re.finditer(rf"(?<!\w){name}\b(?:\(\))?(?:\.(\w+))?(?P<rest>.{{0,3}})", text):
            before = text[: use.start()]
            is_definition = use["rest"].startswith((" =", ":")) or before.endswith("def ")
            if use[1] == "pattern" or is_definition or _is_import(before, text[use.end() :]):
                continue
            if use[1] not in (*METHODS, *_SEARCHING):
                return {*METHODS}
            used.add("search" if use[1] in _SEARCHING else use[1])
    return used or {*METHODS}


def _is_import(before: str, behind: str) -> bool:
    start = before.rfind("\n") + 1
    is_listed = not before[start:].strip() and behind.split("\n")[0].strip() in ("", ",")
    return before.startswith(("from ", "import "), start) or is_listed


def _name(node: ast.stmt) -> str | None:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
        case ast.FunctionDef(name=name):
            return name
    return None


def offences(
    pattern: re.Pattern[str], used: Iterable[str], budget_s: float
) -> Iterator[tuple[str, str, float]]:
    """(method, text, growth) of the first text that a pattern is held up by, for each way in which
    it is used.
    """
    signal.signal(signal.SIGVTALRM, _break_off)
    made = texts(pattern)
    for method in sorted(used):
        run, until = METHODS[method](pattern), time.perf_counter() + budget_s
        for name, make in made.items():
            # A measurement that is out of line is made again: other programs run beside this one.
            if (
                min(times := [growth(run, make)]) > GROWTH
                and min(times := [growth(run, make) for _ in range(3)]) > GROWTH
            ):
                yield method, name, min(times)
                break
            if time.perf_counter() > until:
                break


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="*", default=[""])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--without", action="append", default=[])
    options = parser.parse_args()
    found = {
        (file, line): patterns
        for (file, line), patterns in sorted(recorded().items())
        if file.startswith(tuple(options.folders)) and not file.startswith(tuple(options.without))
    }
    is_any = False
    for (file, line), patterns in found.items():
        for pattern in patterns:
            budget_s = QUICK_S if options.quick else float("inf")
            for method, text, times in offences(pattern, methods(file, line), budget_s):
                is_any = True
                print(
                    f"{file}:{line} {method} {text} grows {times:.0f}-fold: {pattern.pattern[:200]!r}"
                )
    print(f"{sum(map(len, found.values()))} patterns", file=sys.stderr)
    sys.exit(is_any)


if __name__ == "__main__":
    main()

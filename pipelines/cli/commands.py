"""What makes a function a command: help and options from its docstring and parameters, and the
project it works on.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, get_origin

import typer

from benchledger.project import Project
from pipelines.cli.options import RawOption, WarehouseOption, described

_OPTIONS: dict[str, Any] = {
    "raw": RawOption,
    "warehouse": WarehouseOption,
    "nl": Annotated[
        bool, typer.Option("--nl", help="Same as `--format nl`: one JSON object per line.")
    ],
}
# The project of a command, with the folders that it has options for.
WithRaw = Annotated[Project, "raw"]
WithWarehouse = Annotated[Project, "warehouse"]
WithBoth = Annotated[Project, "raw", "warehouse"]


def command(function: Any) -> Callable[..., None]:
    """A function as a command: its docstring is the help, and what stands below `Options:` that of
    its parameters.

    A parameter `project` becomes the options of its folders, such as `--raw` and `--warehouse`;
    where `--format` can be `nl`, `--nl` is short for it.
    """
    text, _, items = (inspect.getdoc(function) or "").partition("\nOptions:\n")
    helps = described(items)
    signature = inspect.signature(function, eval_str=True)
    parameters = []
    added: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        hint = parameter.annotation
        if name == "project":
            added |= dict.fromkeys(hint.__metadata__)
            continue
        if name in helps:
            info = next(iter(getattr(hint, "__metadata__", ())), None) or typer.Option(
                f"--{name.replace('_', '-')}"
            )
            info.help = helps[name]
            hint = hint if get_origin(hint) is Annotated else Annotated[hint, info]
        parameters.append(parameter.replace(annotation=hint))
    folders = [*added]
    formats: Any = type(getattr(signature.parameters.get("format"), "default", None))
    if "nl" in getattr(formats, "__members__", ()):
        added["nl"] = False

    def run(**given: Any) -> None:
        if given.pop("nl", False):
            given["format"] = formats("nl")
        if folders:
            given["project"] = Project(**{name: given.pop(name) for name in folders})
        function(**given)

    for name, default in added.items():
        kind = inspect.Parameter.KEYWORD_ONLY
        parameters.append(inspect.Parameter(name, kind, default=default, annotation=_OPTIONS[name]))
    run.__signature__, run.__doc__ = signature.replace(parameters=parameters), text  # type: ignore[attr-defined]
    return run

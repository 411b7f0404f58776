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

_OPTIONS: dict[str, Any] = {"raw": RawOption, "warehouse": WarehouseOption}
# The project of a command, with the folders that it has options for.
WithRaw = Annotated[Project, "raw"]
WithWarehouse = Annotated[Project, "warehouse"]
WithBoth = Annotated[Project, "raw", "warehouse"]


def command(function: Any) -> Callable[..., None]:
    """A function as a command: its docstring is the help, and what stands below `Options:` that of
    its parameters.

    A parameter `project` becomes the options of its folders, such as `--raw` and `--warehouse`.
    """
    text, _, items = (inspect.getdoc(function) or "").partition("\nOptions:\n")
    helps = described(items)
    signature = inspect.signature(function, eval_str=True)
    parameters, folders = [], []
    for name, parameter in signature.parameters.items():
        hint = parameter.annotation
        if name == "project":
            folders = [*hint.__metadata__]
            continue
        if name in helps:
            if get_origin(hint) is not Annotated:
                hint = Annotated[hint, typer.Option(f"--{name.replace('_', '-')}")]
            hint.__metadata__[0].help = helps[name]
        parameters.append(parameter.replace(annotation=hint))
    for name in folders:
        kind = inspect.Parameter.KEYWORD_ONLY
        parameters.append(inspect.Parameter(name, kind, default=None, annotation=_OPTIONS[name]))

    def run(**given: Any) -> None:
        if folders:
            given["project"] = Project(**{name: given.pop(name) for name in folders})
        function(**given)

    run.__signature__, run.__doc__ = signature.replace(parameters=parameters), text  # type: ignore[attr-defined]
    return run

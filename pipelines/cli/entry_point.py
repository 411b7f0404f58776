"""The console script, which loads the commands: an interrupt is one sentence, whenever it comes."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from contextlib import suppress
from types import FrameType

from pipelines.exceptions import FAILED, INTERRUPTED, INTERRUPTION

# As shells do: 128 and the number of the signal.
_TERMINATED = 128 + signal.SIGTERM


def main() -> None:
    """Run a command. Ctrl-C ends it with status 130, SIGTERM with 143, both as it cleans up."""
    interrupted, status = INTERRUPTED, FAILED

    def terminate(number: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        interrupted = _TERMINATED
        raise KeyboardInterrupt

    def leave() -> None:
        # Python frees one by one what Dagster has loaded, for most of a second after a build.
        with suppress(OSError, SystemExit):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)

    signal.signal(signal.SIGTERM, terminate)
    # The first that is registered is the last that is called.
    atexit.register(leave)
    try:
        # It takes half a second, in which a user may change his mind.
        from pipelines.cli.main import main as run_command

        run_command()
        status = 0
    except (KeyboardInterrupt, RuntimeError) as error:
        # Python 3.11 wraps an interrupt while the fields of a class are named.
        if not isinstance(error.__cause__ or error, KeyboardInterrupt):
            raise
        print(f"error: {INTERRUPTION}", file=sys.stderr)
        status = interrupted
    except SystemExit as end:
        status = interrupted if end.code == INTERRUPTED else int(end.code or 0)
    raise SystemExit(status)

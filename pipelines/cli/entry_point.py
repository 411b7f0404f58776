"""The console script, which loads the commands: an interrupt is one sentence, whenever it comes."""

from __future__ import annotations

import signal
import sys
from types import FrameType

from pipelines.exceptions import INTERRUPTED, INTERRUPTION

# As shells do: 128 and the number of the signal.
_TERMINATED = 128 + signal.SIGTERM


def main() -> None:
    """Run a command. Ctrl-C ends it with status 130, SIGTERM with 143, both as it cleans up."""
    status = INTERRUPTED

    def terminate(number: int, frame: FrameType | None) -> None:
        nonlocal status
        status = _TERMINATED
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, terminate)
    try:
        # It takes half a second, in which a user may change his mind.
        from pipelines.cli.main import main as run_command

        run_command()
    except (KeyboardInterrupt, RuntimeError) as error:
        # Python 3.11 wraps an interrupt while the fields of a class are named.
        if not isinstance(error.__cause__ or error, KeyboardInterrupt):
            raise
        print(f"error: {INTERRUPTION}", file=sys.stderr)
        raise SystemExit(status) from None
    except SystemExit as end:
        raise SystemExit(status if end.code == INTERRUPTED else end.code) from None

"""Keep the garbage collector away from what a process loads once and keeps.

Modules, models and addresses stay until the process ends. The collector would examine them again
and again while they grow, and twice at the end: a third of what a short command takes.
"""

import gc
import sys


def begin() -> None:
    """Let the collector wait for a number of new objects that no start reaches.

    Where it finds `rich`, `structlog` loads it, a tenth of a start, for output that this program
    does not make. Production has no `rich`; only a tool that checks the program needs it.
    """
    gc.set_threshold(1_000_000, 20, 20)
    sys.modules.setdefault("rich", None)  # type: ignore[arg-type]  # as if it were not installed


def end() -> None:
    """Exclude the objects that are loaded by now from all later garbage collections.

    From now on `rich` can be loaded, as the checks of imports do.
    """
    if sys.modules.get("rich", gc) is None:
        del sys.modules["rich"]
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)

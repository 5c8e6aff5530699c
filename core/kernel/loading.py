"""Keep the garbage collector away from what a process loads once and keeps.

Modules, models and addresses stay until the process ends. The collector would examine them again
and again while they grow, and twice at the end: a third of what a short command takes.
"""

import gc


def begin() -> None:
    """Let the collector wait for a number of new objects that no start reaches."""
    gc.set_threshold(1_000_000, 20, 20)


def end() -> None:
    """Have the collector examine what is new from now on, and never what is loaded by now."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)

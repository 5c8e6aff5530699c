"""Give deep calls room, so that Python need not ask the system for memory and give it back.

Python keeps the frames of its calls in pieces of 16 KB. A call that does not fit into the last
piece takes another from the system, and gives it back when it returns. Tests call eighty functions
deep and more. What such a depth does in a loop crosses the end of a piece again and again: 370,000
times in 640 tests of pages and of the API, for a tenth of the tests' own processor time.
"""

from collections.abc import Callable
from types import FunctionType
from typing import Any

_WORDS = 1 << 16
"""A frame of so many words of 8 bytes takes a piece of 1 MB. Half of that is left for deeper calls.

The system gives memory only where somebody writes: nobody writes into this frame.
"""


def _plain(called: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    return called(*arguments, **named)


with_room: Callable[..., Any] = FunctionType(_plain.__code__.replace(co_stacksize=_WORDS), {})
"""Call the first argument with the others. The frames of all deeper calls stand in one piece."""

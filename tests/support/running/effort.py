"""Try less of what is invented or drawn in `make quick`: a fifth. Every other run tries all."""

import os
from typing import Final

QUICK: Final = os.environ.get("LOTOTROT_TESTS") == "quick"
STRIDE: Final = 5 if QUICK else 1
"""From one to the next that is tried of a long row of sizes."""


def tries(whole: int) -> int:
    """Return how many of `whole` examples this run tries."""
    return max(1, whole // STRIDE)

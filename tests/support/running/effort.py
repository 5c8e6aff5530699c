"""Try a fifth of the random examples in `make quick`. Every other run tries all."""

import os
from typing import Final

QUICK: Final = os.environ.get("LOTOTROT_TESTS") == "quick"
STRIDE: Final = 5 if QUICK else 1
"""The step between two sizes that are tried."""


def tries(whole: int) -> int:
    """Return how many of `whole` examples this run tries."""
    return max(1, whole // STRIDE)

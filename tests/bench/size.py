"""Sizes of a run: how long each part measures and on how much data."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Size:
    """`scale` is the share of the full amount of data; `pairs` is how often a ratio is measured.

    `load_s`: seconds of one measurement under load. `board_pairs`: pairs of seconds with the
    boards asking and not asking.
    """

    scale: float
    pairs: int
    load_s: float
    boards: int
    board_pairs: int
    proofs: int

    def of(self, full: int) -> int:
        """Return this size's share of a full count."""
        return int(full * self.scale)


SIZES = {
    "full": Size(1.0, pairs=5, load_s=10.0, boards=3_200, board_pairs=50, proofs=400),
    "quarter": Size(0.25, pairs=5, load_s=10.0, boards=3_200, board_pairs=20, proofs=400),
    "small": Size(0.05, pairs=5, load_s=2.0, boards=3_200, board_pairs=20, proofs=400),
    "tiny": Size(0.001, pairs=1, load_s=1.0, boards=200, board_pairs=2, proofs=20),
}

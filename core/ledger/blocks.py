"""Keep a figure of each account in rows of 64 accounts, instead of in a row for each.

A block has the accounts whose ids divided by 64 are its number, and an account stands at the
remainder: so the figure of one account is found by the key of its block. An account without a
figure has 0 (docs/adr/0097).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

ACCOUNTS = 64


def in_blocks(figures: Mapping[int, int]) -> dict[int, list[int]]:
    """Return the figures by block, in the order of accounts; a block without any is not in it."""
    blocks: dict[int, list[int]] = defaultdict(lambda: [0] * ACCOUNTS)
    for account, figure in sorted(figures.items()):
        if figure:
            blocks[account // ACCOUNTS][account % ACCOUNTS] = figure
    return dict(blocks)


def by_account(blocks: Iterable[tuple[int, Sequence[int]]]) -> dict[int, int]:
    """Return the figures that are not 0 by account, of blocks with their numbers."""
    return {
        block * ACCOUNTS + position: figure
        for block, figures in blocks
        for position, figure in enumerate(figures)
        if figure
    }

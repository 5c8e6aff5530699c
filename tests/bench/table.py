"""Print the figures of a run as one table, a block for each part."""

from collections.abc import Mapping


def lines(figures: Mapping[str, float]) -> list[str]:
    """Return one line for each figure, names to the left and numbers to the right.

    Figures whose names begin alike stand together, with an empty line before the next block.
    """
    width = max(map(len, figures), default=0)
    rows: list[str] = []
    block = ""
    for name, value in figures.items():
        if block and name.partition(".")[0] != block:
            rows.append("")
        block = name.partition(".")[0]
        rows.append(f"{name:{width}}  {value:>16,.3f}")
    return rows

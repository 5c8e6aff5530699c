"""Lines of a fixed number of columns: wrapping, alignment, and the widths of tables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.receipts.document import (
    Align,
    Block,
    Document,
    Emphasis,
    Line,
    Notice,
    Pair,
    Qr,
    Rule,
    Spacer,
    Table,
    Title,
)
from core.receipts.layout import COLUMNS, Layout, Printed, shared_widths


def lines(*blocks: Block, large_columns: int = COLUMNS // 2) -> list[str]:
    """Return the texts of the lines that the blocks take on a device that fits all characters."""
    document = Document(language="en", blocks=blocks, simulated=False)
    layout = Layout(str, large_columns)
    return [line.text for line in layout.lines(document) if isinstance(line, Printed)]


@pytest.mark.parametrize(
    ("needed", "available", "widths"),
    [
        ([3, 4], 10, [3, 4]),
        ([3, 40], 10, [3, 7]),
        ([40, 40], 10, [5, 5]),
        ([0, 40], 10, [1, 9]),
        ([9, 5, 5], 12, [4, 4, 4]),
    ],
)
def test_the_widest_column_gives_way(needed: list[int], available: int, widths: list[int]) -> None:
    assert shared_widths(needed, available) == widths


@given(st.lists(st.integers(0, 200), min_size=1, max_size=12))
def test_columns_fit_and_each_has_room(needed: list[int]) -> None:
    widths = shared_widths(needed, 37)
    assert sum(widths) <= 37
    assert all(1 <= width <= max(1, need) for width, need in zip(widths, needed, strict=True))


def test_no_column_gets_less_than_its_tightest() -> None:
    """A column without a heading has room for a character, too."""
    assert shared_widths([1, 9, 9], 7, [0, 5, 5]) == [1, 3, 3]
    assert shared_widths([9, 9, 9], 10, [6, 6, 6], [2, 3, 5]) == [2, 3, 5]


def test_a_pair_stands_on_one_line_or_on_two() -> None:
    (one,) = lines(Pair("Amount", "5.00"))
    assert (one, len(one)) == ("Amount" + " " * 38 + "5.00", COLUMNS)
    label, value = lines(Pair("x" * 30, "y" * 20))
    assert (label, value) == ("x" * 30, " " * 28 + "y" * 20)
    assert len(lines(Pair("Amount", "5.00\n6.00"))) == 3


def test_large_lines_have_fewer_columns() -> None:
    assert lines(Line("a " * 20, emphasis=Emphasis.LARGE)) == ["a " * 11 + "a", "a " * 7 + "a"]
    assert lines(Title("ab")) == [" " * 11 + "ab"]


def test_alignments_rules_notices_and_blank_lines() -> None:
    assert lines(Line("ab", Align.RIGHT)) == [" " * 46 + "ab"]
    assert lines(Line("a\n\nb")) == ["a", "", "b"]
    assert lines(Rule(), Spacer(2)) == ["-" * COLUMNS, "", ""]
    edge, text, last = lines(Notice("Mind"))
    assert edge == last == "+" + "-" * 46 + "+"
    assert text == f"| {'Mind':^44} |"


def test_a_cell_that_does_not_fit_is_wrapped_in_its_column() -> None:
    table = Table((("1", "a " * 40),), ("No", "Name"), (Align.RIGHT, Align.LEFT))
    header, *rows = lines(table)
    assert header == "No Name"
    assert rows[0].startswith(" 1 a a")
    assert all(row.startswith("   a") for row in rows[1:])
    assert "".join(rows).count("a") == 40


def test_a_heading_is_whole_and_stands_above_large_rows() -> None:
    table = Table(
        (("1", "3", "1 2 10"), ("2", "4", " ".join(["11"] * 18))),
        ("Ordre", "Cursa", "Números"),
        (Align.RIGHT, Align.RIGHT, Align.LEFT),
        Emphasis.LARGE,
    )
    header, first, *rest = lines(table)
    assert header.split() == ["Ordre", "Cursa", "Números"]
    assert (first.split(), len(first)) == (["1", "3", "1", "2", "10"], 14)
    assert header.index("Números") == 2 * first.index("1 2 10")
    assert all(len(row) <= COLUMNS // 2 for row in rest)
    narrow = Table((("1", "x" * 90),), ("Racecourse", "Name"))
    assert lines(narrow)[0].split() == ["Racecourse", "Name"]


def test_banners_stand_first_and_last_and_symbols_pass_through() -> None:
    document = Document(language="en", blocks=(Qr("x"),), simulated=False, duplicate=True)
    result = list(Layout(str, COLUMNS).lines(document))
    assert result.count(Qr("x")) == 1
    texts = [line.text.strip() for line in result if isinstance(line, Printed)]
    assert texts == ["#" * COLUMNS, "DUPLICATE", "#" * COLUMNS] * 2

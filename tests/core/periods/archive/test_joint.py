"""Two ranges end together: no row is retired without the row it goes with."""

import random

import pytest
from django.db import connections

from core.periods.archive import joint
from core.periods.archive.joint import joint_ranges
from core.periods.archive.tables import ArchiveTable

PART = ArchiveTable(
    "joint_part",
    stays="false",
    with_rows="joint_named",
    with_column="named_id",
    apart="t.apart",
)
Pairs = dict[int, int]


def ranges_of(
    monkeypatch: pytest.MonkeyPatch, pairs: Pairs, ends: tuple[int, int], apart: Pairs | None = None
) -> tuple[range, range]:
    """Return the joint ranges of a table with those rows (id to named id), from 1 to those ends."""
    owner = connections["owner"]
    with owner.cursor() as cursor:
        cursor.execute("CREATE TEMP TABLE joint_part (id bigint, named_id bigint, apart boolean)")
        for rows, is_apart in ((pairs, False), (apart or {}, True)):
            for ident, named in rows.items():
                cursor.execute(
                    "INSERT INTO joint_part VALUES (%s, %s, %s)", [ident, named, is_apart]
                )
        with monkeypatch.context() as patch:
            patch.setattr(joint, "connection", owner)
            names = zip(("joint_part", "joint_named"), ends, strict=True)
            found = joint_ranges(PART, {name: range(1, end + 1) for name, end in names})
        cursor.execute("DROP TABLE joint_part")
    return found["joint_part"], found["joint_named"]


@pytest.mark.django_db(databases=["default", "owner"])
def test_ranges_end_where_both_have_their_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    for pairs, ends, wanted in (
        ({}, (0, 9), (0, 9)),
        ({1: 2, 2: 5}, (2, 9), (2, 9)),
        ({1: 2, 2: 5}, (1, 9), (1, 4)),  # the void of 5 stays
        ({1: 2, 2: 5}, (2, 4), (1, 4)),  # the ticket of 2 stays
        ({1: 4, 2: 3, 3: 6, 4: 5}, (3, 9), (2, 4)),  # 5 stays, so 6 does, and its void
        ({1: 2, 2: 1, 3: 4, 4: 3, 5: 5}, (3, 9), (2, 2)),
        ({1: 3, 2: 1}, (2, 2), (0, 0)),  # back to the first one: nothing leaves
    ):
        found = ranges_of(monkeypatch, pairs, ends)
        assert found == tuple(range(1, end + 1) for end in wanted), pairs
    # What stays for good shortens nothing.
    assert ranges_of(monkeypatch, {1: 2}, (1, 9), apart={2: 3}) == (range(1, 2), range(1, 10))


@pytest.mark.django_db(databases=["default", "owner"])
def test_no_row_of_any_pairs_is_without_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(52)
    for _ in range(20):
        order = sorted(range(1, 31), key=lambda named: named + chance.uniform(0, 6))
        pairs = dict(enumerate(order, start=1))
        ends = chance.randrange(31), chance.randrange(31)
        part, named = ranges_of(monkeypatch, pairs, ends)
        assert all((ident in part) == (goes in named) for ident, goes in pairs.items())
        assert part.stop - 1 <= ends[0] and named.stop - 1 <= ends[1]

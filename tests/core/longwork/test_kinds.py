"""Kinds of long work: each has a name of its own, a power that somebody holds, and a title."""

import pytest

from core.longwork.kinds import WorkUnknown, kind_named, kinds
from core.staff.powers import holders
from tests.core.longwork.conftest import SHARED, Bench


def test_every_kind_of_the_apps_has_a_title_and_a_power() -> None:
    shipped = {
        "lists.export",
        "nights.audit",
        "nights.run",
        "periods.propose",
        "reports.file",
        "staff.confirm",
    }
    assert shipped <= set(kinds())
    for kind in kinds().values():
        assert str(kind.title)
        if isinstance(kind.power, str):
            assert holders(kind.power_for({}))


def test_a_kind_is_found_by_its_name_alone(bench: Bench) -> None:
    kind = kind_named(SHARED)
    assert (kind.about({"about": "March"}), kind.step_title("one")) == ("March", "ONE")
    with pytest.raises(WorkUnknown):
        kind_named("tests")

"""A change of a table makes the class of that table again, and no other."""

from collections.abc import Callable

import pytest
from django.db import models
from django.db.migrations.state import ModelState, ProjectState

from core.database.management.commands import migrate

Change = Callable[[ProjectState], None]


def _state() -> ProjectState:
    """Return a state of two tables, of which one refers to the other."""
    state = ProjectState()
    key = ("id", models.BigAutoField(primary_key=True))
    state.add_model(ModelState("stud", "Horse", [key]))
    horse = models.ForeignKey("stud.Horse", models.PROTECT)
    state.add_model(ModelState("stud", "Start", [key, ("horse", horse)]))
    return state


def _column(state: ProjectState) -> None:
    state.add_field("stud", "horse", "age", models.IntegerField(), True)


def _relation(state: ProjectState) -> None:
    dam = models.ForeignKey("stud.Horse", models.PROTECT, null=True, related_name="foals")
    state.add_field("stud", "horse", "dam", dam, True)


def _constraint(state: ProjectState) -> None:
    holds = models.CheckConstraint(condition=models.Q(id__gt=0), name="horse_id")
    state.add_constraint("stud", "horse", holds)


def _index(state: ProjectState) -> None:
    state.add_index("stud", "horse", models.Index(fields=["id"], name="horse_again"))


@pytest.mark.parametrize("change", [_column, _relation, _constraint, _index])
def test_the_changed_table_alone_gets_a_new_class(change: Change) -> None:
    state = _state()
    horse, start = state.apps.get_model("stud.Horse"), state.apps.get_model("stud.Start")
    with migrate._classes_made_once():
        change(state)
    assert state.apps.get_model("stud.Start") is start
    changed = state.apps.get_model("stud.Horse")
    assert changed is not horse
    fresh = _state()
    change(fresh)
    expected = fresh.apps.get_model("stud.Horse")._meta
    assert [field.name for field in changed._meta.fields] == [f.name for f in expected.fields]
    assert [c.name for c in changed._meta.constraints] == [c.name for c in expected.constraints]
    assert [i.name for i in changed._meta.indexes] == [i.name for i in expected.indexes]

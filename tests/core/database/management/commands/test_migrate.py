"""A change of a table makes the class of that table again, and no other."""

import hashlib
import inspect
from collections.abc import Callable
from typing import Any

import django
import pytest
from django.core.management import call_command
from django.core.management.base import ALL_CHECKS, CommandError
from django.db import models
from django.db.migrations.state import ModelState, ProjectState, StateApps

from core.database.management.commands import migrate
from core.looks.models import Look
from tests.support.databases import Database


def test_it_makes_the_checks_that_no_other_command_makes() -> None:
    """Those of this program are left out of every command, as `migrate` has made them."""
    assert migrate.Command.requires_system_checks == ALL_CHECKS


def test_production_does_not_migrate_backwards(own_database: Database, settings: Any) -> None:
    """It dropped a column that the sale fills, and no ticket was sold until it was there again."""
    settings.PRODUCTION = True
    with pytest.raises(CommandError, match="no migrating backwards"):
        call_command("migrate", "looks", "zero", database="owner", verbosity=0)
    assert not Look.objects.exists()


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


# The first 16 digits of the SHA-256 of each method's source, as it was when `migrate` replaced it
# or began to call it. Django promises nothing for them.
READ = {
    ProjectState.add_model: "8ba1235ceae20038",
    ProjectState.add_field: "074b4921fb3ac518",
    ProjectState.add_index: "e0f3ce8db7016e7f",
    ProjectState.add_constraint: "28ab9afb86f5b667",
    StateApps.render_multiple: "84ce3559ac2939dd",
    StateApps.unregister_model: "cb0c9c45afcb1dc1",
    StateApps.bulk_update: "3388642d7d31d742",
}


@pytest.mark.parametrize("method", READ, ids=lambda method: method.__qualname__)
def test_the_methods_of_django_are_those_that_were_read(method: Callable[..., None]) -> None:
    digest = hashlib.sha256(inspect.getsource(method).encode()).hexdigest()[:16]
    assert digest == READ[method], (
        f"Django {django.__version__} changed {method.__qualname__}: read it, see that"
        f" `_classes_made_once` still does the same, and write {digest} here"
    )

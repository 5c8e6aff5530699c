"""Words and colours that pages of several apps have in common; the names of keys and fields."""

import re

import pytest
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.db.models import BinaryField
from django.utils.functional import Promise
from django.utils.translation import override

from core.admin_support.administration import KEY_NAMES, TONES
from core.admin_support.contents import administrations
from core.admin_support.key_names import field_names, key_name
from core.database.models import SECRET_FIELDS

# Fields without a name of their own: the one row of a table, and the bits of a ticket's numbers.
UNSEEN = re.compile(r"database\.ClockWatch\.singleton|lototrot\.Ticket\.leg_\d+")
# Settlements are being written anew; these two are named with them.
NOT_YET = {"lototrot.Settlement.races", "lototrot.Settlement.figures"}

COLOURS = {"success", "warning", "info", "primary", "default", "danger"}


def test_every_key_has_a_translatable_name() -> None:
    assert all(isinstance(name, Promise) for name in KEY_NAMES.values())
    with override("ca"):
        assert key_name("reason") != "reason"


@pytest.mark.parametrize(("key", "name"), [("reason", "reason"), ("no_such_key", "no such key")])
def test_a_key_without_a_name_reads_as_words(key: str, name: str) -> None:
    with override("en"):
        assert key_name(key) == name


def test_tones_are_colours_of_the_theme() -> None:
    assert set(TONES.values()) <= COLOURS


@pytest.mark.parametrize(
    ("language", "name"), [("ca", "registrat per"), ("es", "registrado por"), ("en", "recorded by")]
)
def test_a_key_has_the_name_of_its_field(language: str, name: str) -> None:
    with override(language):
        assert key_name("recorded_by") == name


def test_fields_that_disagree_give_no_name() -> None:
    assert "kind" not in field_names() and "verdict" not in field_names()
    with override("en"):
        assert key_name("verdict") == "decision"
        assert key_name("nothing_of_the_kind") == "nothing of the kind"


@pytest.mark.parametrize("language", ["ca", "es", "en"])
def test_no_word_list_repeats_what_a_field_says(language: str) -> None:
    with override(language):
        repeated = {
            key
            for part in administrations()
            for key, name in part.key_names.items()
            if str(field_names().get(key)) == str(name)
        }
    assert repeated == set()


def test_every_field_that_people_can_see_has_a_name() -> None:
    unnamed = {
        f"{model._meta.label}.{field.name}"
        for model in apps.get_models()
        if not model.__module__.startswith("django.")
        for field in model._meta.concrete_fields
        if field._verbose_name is None and not field.primary_key and field.name not in SECRET_FIELDS
        if not isinstance(field, BinaryField)
    }
    assert {name for name in unnamed if not UNSEEN.fullmatch(name)} <= NOT_YET


def test_the_log_of_acts_has_our_name_in_every_language() -> None:
    for language, name in (("ca", "acte"), ("es", "acto"), ("en", "act")):
        with override(language):
            assert str(LogEntry._meta.verbose_name).startswith(f"{name} ")
            assert "log" not in str(LogEntry._meta.verbose_name_plural)

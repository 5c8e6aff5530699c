"""Words and colours that pages of several apps have in common."""

import pytest
from django.utils.functional import Promise
from django.utils.translation import override

from core.admin_support.administration import KEY_NAMES, TONES
from core.admin_support.key_names import key_name

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

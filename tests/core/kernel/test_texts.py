"""Find control and invisible characters, and those that change the direction of a text."""

import pytest

from core.kernel.texts import invisible_at, one_line


@pytest.mark.parametrize("sign", ["\n", "\x07", "\u202e", "\u200b", "\u2066", "\ufeff", "\u2028"])
def test_a_character_that_nobody_sees_is_named_by_its_place(sign: str) -> None:
    assert invisible_at(f"ab{sign}c") == 2


@pytest.mark.parametrize("sign", ["\ud800", "\ue000", "\uffff", "\u00ad", "\u200d"])
def test_surrogates_private_and_unassigned_characters_are_none(sign: str) -> None:
    assert invisible_at(sign) == 0


@pytest.mark.parametrize(
    "sign", ["\u034f", "\u115f", "\u17b4", "\u180b", "\u2800", "\u3164", "\ufe0f", "\U000e0100"]
)
def test_letters_and_marks_that_show_nothing_are_none(sign: str) -> None:
    """Two names that differ by one of them are read as one."""
    assert invisible_at(f"or-17{sign}") == 5


@pytest.mark.parametrize("name", ["Núria Ça-Vall·llobera", "Íñigo O'Neill", "«Cal Pep», 1r 2a", ""])
def test_names_of_catalan_and_spanish_are_whole(name: str) -> None:
    assert invisible_at(name) is None


def test_one_line_is_the_same_for_all_who_type_the_same() -> None:
    assert (
        one_line("  TRF\u00a0 Cafe\u0301\t1 ") == one_line("TRF Caf\u00e9 1") == "TRF Caf\u00e9 1"
    )
    assert one_line("TRF 11") != one_line("TRF 1 1")
    assert one_line(" \u2003 ") == ""

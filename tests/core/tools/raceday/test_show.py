"""The demonstration prints words, aligned columns, and progress."""

import time

import pytest

from core.tools.raceday import show


def test_amounts_lists_and_counts_are_words() -> None:
    assert show.euros(123_450) == "1,234.50 €"
    assert show.euros(-50) == "-0.50 €"
    assert show.listed([1]) == "1"
    assert show.listed([1, 2, 3]) == "1, 2 and 3"
    assert show.listed([]) == "none"
    assert show.counted(1, "bet") == "1 bet"
    assert show.counted(1_200, "bet") == "1,200 bets"
    assert show.counted(2, "act of a play", "acts of plays") == "2 acts of plays"


def test_columns_of_numbers_stand_to_the_right(capsys: pytest.CaptureFixture[str]) -> None:
    show.table(("kind", "tickets", "prize"), [("single", "1,200", "3.46 €"), ("all", 7, "—")])
    assert capsys.readouterr().out.splitlines() == [
        "    kind    tickets   prize",
        "    ──────  ───────  ──────",
        "    single    1,200  3.46 €",
        "    all           7       —",
    ]


def test_cells_that_only_begin_with_a_digit_are_words(capsys: pytest.CaptureFixture[str]) -> None:
    show.table(("race", "runners"), [(1, "1 Nuncio, 2 Volstead"), (2, "1 Hulte")])
    assert capsys.readouterr().out.splitlines()[-1] == "       2  1 Hulte"


def test_a_table_without_header_has_only_its_rows(capsys: pytest.CaptureFixture[str]) -> None:
    show.table(("", ""), [("sold", 480), ("takings", "240.00 €")])
    assert capsys.readouterr().out.splitlines() == [
        "    sold          480",
        "    takings  240.00 €",
    ]


def test_a_wait_prints_what_is_being_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(show, "SILENCE_IN_FILE_S", 0.0)
    console = show.Console()
    console.begin("settling")
    with console.watched():
        deadline = time.monotonic() + 30
        while "settling" not in capsys.readouterr().out:
            assert time.monotonic() < deadline
            time.sleep(0.01)
    capsys.readouterr()
    time.sleep(0.2)
    assert capsys.readouterr().out == ""

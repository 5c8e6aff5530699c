"""Tests of the names of accounts in the books of the demonstration."""

import pytest

from core.tools.raceday.books import account_in_words
from lototrot import accounts as of_lototrot
from promotrot import accounts as of_promotrot


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("treasury", "bank account of the games"),
        (of_lototrot.jackpot("lototrot").code, "Lototrot: jackpot of the 7/7"),
        (of_lototrot.lapsed(3).code, "Lototrot, contest 3: unclaimed prizes carried over"),
        (
            of_lototrot.organiser(of_lototrot.Part.TAX).code,
            "Lototrot, organiser's share: tax",
        ),
        (of_promotrot.unclaimed().code, "Promotrot: prizes that nobody claimed"),
        (of_promotrot.vouchers("foals-lap/1").code, "Promotrot, foals-lap/1: prizes to be claimed"),
    ],
)
def test_an_account_has_a_name_in_words(code: str, words: str) -> None:
    assert account_in_words(code) == words


def test_an_account_that_no_app_names_keeps_its_code() -> None:
    assert account_in_words("somewhere:else") == "somewhere:else"


@pytest.mark.parametrize("part", of_lototrot.Part)
def test_each_part_of_the_organisers_share_has_a_name(part: of_lototrot.Part) -> None:
    for account in (of_lototrot.organiser(part), of_promotrot.organiser(part)):
        assert account_in_words(account.code).endswith(f"organiser's share: {part}")

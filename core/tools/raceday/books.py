"""Name the accounts of the books in words, for the table at the end of the demonstration.

An app names its accounts in `raceday/books.py`, in the constant `ACCOUNT_NAMES`.
"""

import re

from core.contributions import contributed_items

PARTS = "remainder|commission|management|tax"
"""The parts of the organiser's share, as a pattern."""
_ACCOUNT_NAMES = (
    (r"treasury", "bank account of the games"),
    (r"payoffice:cash:\d+", "cash at the Central Office"),
    (r"payoffice:cash_differences", "differences found when cash was counted"),
    (r"payoffice:cheques", "cheques that are not presented yet"),
    (r"payoffice:voided_cheques", "voided cheques that the bank paid to others"),
    (r"payoffice:written_off", "losses by voided cheques that were written off"),
    (r"payoffice:goods", "prizes in kind in stock"),
    (r"payoffice:goods_differences", "prizes in kind: worth more or less than promised"),
)


def account_in_words(code: str) -> str:
    """Return the name of an account in words, or its code where no app names it.

    `ACCOUNT_NAMES` are pairs of a pattern for the code and of words. The words may have the groups
    of the pattern.
    """
    for pattern, words in (*_ACCOUNT_NAMES, *contributed_items("raceday.books", "ACCOUNT_NAMES")):
        if match := re.fullmatch(pattern, code):
            return match.expand(words)
    return code

"""The office's refusals: one stable code each, and its category."""

import pytest

from core.kernel.errors import Conflict, DomainError, Forbidden, Invalid
from core.payoffice import refusals
from core.payoffice.services import paying

CODES: dict[str, type[DomainError]] = {
    "document_void": Conflict,
    "nothing_decided": Conflict,
    "results_not_established": Conflict,
    "no_prize": Conflict,
    "paid_too_early": Conflict,
    "claim_lapsed": Conflict,
    "already_paid": Conflict,
    "already_exchanged": Conflict,
    "held_apart": Conflict,
    "claim_refused": Conflict,
    "deposit_receipt_needed": Conflict,
    "place_not_allowed": Forbidden,
    "thing_place_not_allowed": Forbidden,
    "document_altered": Conflict,
    "amount_differs": Conflict,
    "payee_missing": Invalid,
    "payee_not_needed": Invalid,
    "cash_session_missing": Conflict,
    "cash_short": Conflict,
    "second_person_needed": Forbidden,
    "payer_handed_over": Forbidden,
    "payment_uuid_reused": Conflict,
    "presentation_needless": Conflict,
    "not_in_kind": Conflict,
    "out_of_stock": Conflict,
}
ERRORS: list[type[DomainError]] = [
    error
    for error in vars(refusals).values()
    if isinstance(error, type) and error.__module__ == refusals.__name__
]


def test_codes_are_stable() -> None:
    assert {error.code: error.__mro__[1] for error in ERRORS} == CODES
    assert len(ERRORS) == len(CODES)


@pytest.mark.parametrize("error", ERRORS)
def test_a_refusal_is_a_sentence_and_is_for_good(error: type[DomainError]) -> None:
    assert error.message[0].isupper()
    assert error.message.endswith(".")
    assert not error.transient
    assert error(place="x").data == {"place": "x"}


def test_the_outcomes_of_the_paying_statement_have_a_refusal() -> None:
    for code, error in paying._REFUSALS.items():
        assert error.code == code

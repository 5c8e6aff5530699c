"""Refuse in the database vouchers without a code, an amount or their thing."""

from collections.abc import Callable

import pytest
from django.db import DatabaseError, connection, transaction

from promotrot.models.voucher import Voucher, VoucherSecret
from tests.support import emitting

pytestmark = pytest.mark.django_db


def _copy(**changes: str) -> str:
    """Return SQL that inserts a voucher like the first one, with some columns changed."""
    columns = [
        field.column
        for field in Voucher._meta.concrete_fields
        if field.column not in ("id", "uuid", "number", "code_digest")
    ]
    values = {column: column for column in columns} | {
        "uuid": "gen_random_uuid()",
        "number": "number + 1",
        "code_digest": "decode(md5('x'), 'hex')",
    }
    values |= changes
    return (
        f"INSERT INTO promotrot_voucher ({', '.join(values)}) SELECT {', '.join(values.values())}"
        " FROM promotrot_voucher ORDER BY id LIMIT 1"
    )


REFUSED: dict[str, str] = {
    "a second voucher for the same prize": _copy(),
    "the same number": _copy(number="number"),
    "another emission": _copy(emission_id="emission_id + 1"),
    "no amount": _copy(amount_cents="0"),
    "a thing of a cash prize": _copy(thing="'bicycle'"),
    "no thing of a prize in kind": _copy(nature="'in_kind'"),
    "an end before the issue": _copy(last_day="issue_day"),
    "a terminal and no code": _copy(code_digest="NULL"),
    "another amount": "UPDATE promotrot_voucher SET amount_cents = amount_cents + 1",
    "another code": "UPDATE promotrot_voucher SET code_digest = decode(md5('x'), 'hex')",
    "no voucher any more": "DELETE FROM promotrot_voucher",
    "another secret": "UPDATE promotrot_vouchersecret SET secret = '\\x00'",
}


@pytest.mark.article("15.III.6.3")
@pytest.mark.parametrize("case", REFUSED)
def test_what_the_database_refuses(case: str) -> None:
    emitting.sold_and_played(emitting.opened(emitting.small()), 40)
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(REFUSED[case])
        assert cursor.rowcount
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_a_secret_may_only_be_erased() -> None:
    emitting.sold_and_played(emitting.opened(emitting.small()), 40)
    change: Callable[..., int] = VoucherSecret.objects.update
    assert change(secret=None) == 1

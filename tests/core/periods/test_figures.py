"""The figures of a month are those that anybody computes from its transfers by the format."""

import hashlib
from datetime import UTC, date

from core.kernel.canonical import canonical_sha256
from core.ledger.models import Account, Transfer
from core.periods.figures import BLOCK, figures
from lototrot.models.contest import Contest

MARCH = 1, date(2030, 3, 1), date(2030, 3, 31)


def test_the_digest_of_transfers_follows_the_published_format(contest: Contest) -> None:
    month = figures(*MARCH, before=None)
    blocks: dict[int, list[str]] = {}
    cents = 0
    in_march = Transfer.objects.filter(at__month=3).select_related("debit", "credit")
    for row in in_march.order_by("pk"):
        at = row.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        said = (row.pk, row.reference, row.line, row.kind, row.debit, row.credit, row.amount_cents)
        blocks.setdefault(row.pk // BLOCK, []).append("|".join(map(str, (*said, at))))
        cents += row.amount_cents
    digest = hashlib.sha256()
    for lines in blocks.values():
        digest.update(hashlib.sha256("\n".join(lines).encode()).digest())
    assert month.document["transfers"] == {
        "count": sum(map(len, blocks.values())),
        "cents": cents,
        "sha256": digest.hexdigest(),
    }


def test_balances_are_published_by_their_digest_alone(contest: Contest) -> None:
    month = figures(*MARCH, before=None)
    codes = dict(Account.objects.values_list("pk", "code"))
    rows = sorted([codes[account], cents] for account, cents in month.balances.items())
    assert month.document["balances"] == {
        "accounts": len(rows),
        "sha256": canonical_sha256(rows).hex(),
    }
    assert "premises:" not in str(month.document)

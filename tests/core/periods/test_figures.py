"""The figures of a month are those that anybody computes from its transfers by the format."""

import hashlib
from datetime import UTC, date

import pytest

from core.database.reading import progress
from core.database.reading.progress import Progress
from core.kernel.canonical import canonical_sha256
from core.ledger.models import Account, Transfer
from core.periods import figures as module
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
        values = row.pk, row.reference, row.line, row.kind, row.debit, row.credit, row.amount_cents
        blocks.setdefault(row.pk // BLOCK, []).append("|".join(map(str, (*values, at))))
        cents += row.amount_cents
    digest = hashlib.sha256()
    for lines in blocks.values():
        digest.update(hashlib.sha256("\n".join(lines).encode()).digest())
    assert month.document["transfers"] == {
        "count": sum(map(len, blocks.values())),
        "cents": cents,
        "sha256": digest.hexdigest(),
    }


def test_blocks_are_read_some_at_a_time_with_the_same_digest(
    contest: Contest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BLOCK", 3)
    at_once = figures(*MARCH, before=None).document["transfers"]
    steps: list[Progress] = []
    monkeypatch.setattr(module, "AT_ONCE", 1)
    with progress.listening(steps.append):
        assert figures(*MARCH, before=None).document["transfers"] == at_once
    assert len(steps) > 2
    assert [each.done for each in steps] == sorted({each.done for each in steps})
    assert steps[-1].done == steps[-1].total


def test_balances_are_published_by_their_digest_alone(contest: Contest) -> None:
    month = figures(*MARCH, before=None)
    codes = dict(Account.objects.values_list("pk", "code"))
    rows = sorted([codes[account], cents] for account, cents in month.balances.items())
    assert month.document["balances"] == {
        "accounts": len(rows),
        "sha256": canonical_sha256(rows).hex(),
    }
    assert "premises:" not in str(month.document)

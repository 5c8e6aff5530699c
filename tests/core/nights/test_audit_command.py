"""The command audits everything that the nights audit in turns, and fails where it differs."""

import uuid
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from core.ledger import services as ledger
from core.ledger.services import Line, asset, liability
from core.nights import jobs
from tests.support import factories
from tests.support.databases import Database
from tests.support.journaling import seal_all


def output(*names: str) -> str:
    out = StringIO()
    call_command("audit", *names, stdout=out)
    return out.getvalue()


def test_everything_is_audited_and_differences_fail(own_database: Database) -> None:
    factories.premises()
    seal_all()
    audits = [job.name for job in jobs.all_jobs() if job.everything]
    assert [line.partition(":")[0] for line in output().splitlines()] == audits
    assert {"ledger.audit", "journal.audit", "lototrot.audit", "statements.audit"} <= set(audits)
    line = Line("test", asset("treasury"), liability("test:odd"), 5)
    ledger.post(reference=uuid.uuid4(), lines=[line])
    with pytest.raises(CommandError, match="1 of 1 audits"):
        output("ledger.audit")


def test_it_runs_where_nothing_can_be_written(own_database: Database) -> None:
    """As on a standby."""
    factories.premises()
    seal_all()
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
    assert "journal.audit: batches=1" in output()


def test_an_unknown_audit_is_refused() -> None:
    with pytest.raises(CommandError, match="no audit"):
        output("claims.lapse")

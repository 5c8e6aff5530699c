"""Read the journal in the admin, and verify it there and by command."""

import psycopg
import pytest
from django.core.management import call_command

from core.journal.models import Act
from core.staff.powers import Role
from tests.support import factories
from tests.support.admin_desk import Desk
from tests.support.api import staff_api
from tests.support.databases import Database
from tests.support.journaling import seal_all


def test_the_auditor_reads_and_verifies_the_journal(own_database: Database) -> None:
    place = factories.point()
    staff_api(Role.ORGANISER).post(f"terminals/{place.terminal.code}/revocation")
    seal_all()
    act = Act.objects.get(source__name="terminals_code_revocation_post")
    desk = Desk(Role.AUDITOR)
    assert "terminals_code_revocation_post" in desk.get("/admin/journal/act/")
    assert "revoked_at" in desk.get(f"/admin/journal/act/{act.pk}/change/")
    desk.do(Act, "verify")
    execute_as_stranger(own_database)
    refusal = desk.refused(Act, "verify", "journal_touched")
    assert "act_unnamed" in refusal and "act_of_somebody" in refusal
    with pytest.raises(Exception, match="changed in 2 places"):
        call_command("journal_verify")


def execute_as_stranger(database: Database) -> None:
    with psycopg.connect(database.app_url) as stranger:
        stranger.execute(
            "INSERT INTO api_firstanswer (user_id, key_digest, request_digest, status, body,"
            " answered_at) SELECT id, '', '', 200, '', core_now() FROM staff_user LIMIT 1"
        )

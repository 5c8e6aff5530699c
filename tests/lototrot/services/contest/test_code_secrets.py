"""Check that the secret of a contest's codes is readable for that contest only."""

import pytest

from core.database.encryption import ContentUnreadable
from lototrot.services.contest.code_secrets import secret_of, secret_read
from tests.support import factories

pytestmark = pytest.mark.django_db


def test_the_secret_is_not_in_the_row_and_not_another_contests() -> None:
    contest, other = factories.contest(), factories.contest(kind="five-races")
    secret = secret_of(contest)
    assert len(secret) == 32 and secret not in bytes(contest.code_secret or b"")
    assert secret != secret_of(other)
    with pytest.raises(ContentUnreadable):
        secret_read(bytes(contest.code_secret or b""), takings_account=other.takings_account_id)


def test_an_erased_secret_is_none() -> None:
    contest = factories.contest()
    contest.code_secret = None
    assert secret_of(contest) == b""

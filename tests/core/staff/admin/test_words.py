"""Proposals about accounts in words: whose account, and what roles it gets."""

import pytest
from django.utils.translation import override

from core.admin_support import proposal_texts
from core.staff import accounts
from core.staff.models import User
from core.staff.powers import Role
from tests.core.staff.test_accounts import PASSWORD
from tests.support import factories

pytestmark = pytest.mark.django_db


def test_a_new_account_is_called_by_its_person_and_its_roles_in_words() -> None:
    proposal = accounts.account_propose(
        by=factories.staff(Role.ADMINISTRATOR),
        username="desk-7",
        full_name="Aina Bauçà",
        password=PASSWORD,
        roles=["cashier"],
    )
    with override("ca"):
        assert proposal_texts.title_text(proposal) == "Un compte: Aina Bauçà (desk-7)"
        assert "Caixer de l" in proposal_texts.content_html(proposal)
        assert "name_encrypted" not in proposal_texts.content_html(proposal)


def test_new_roles_stand_beside_those_that_the_person_has() -> None:
    person = User.objects.get(pk=factories.staff(Role.CASHIER).user_id)
    proposal = accounts.roles_propose(
        by=factories.staff(Role.ADMINISTRATOR), user_id=person.pk, roles=["supervisor"]
    )
    with override("en"):
        title = proposal_texts.title_text(proposal)
        facts = {str(name): value for name, value in proposal_texts.content_facts(proposal)}
    assert person.full_name in title and "Office supervisor" in title
    assert facts["Now"] == "Office cashier" and facts["Afterwards"] == "Office supervisor"

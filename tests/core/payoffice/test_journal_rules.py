"""The journal rules of the prize office: they hold for its acts, and name its tables."""

import pytest
from django.apps import apps

from core.journal.rules import broken
from core.payoffice import journal_rules
from core.payoffice.models import Claim

NAMES = [rule.name for rule in journal_rules.RULES]
TABLES = {model._meta.db_table for model in apps.get_app_config("payoffice").get_models()}


def test_every_table_of_the_office_has_a_rule() -> None:
    assert len(NAMES) == len(set(NAMES))
    assert {rule.table for rule in journal_rules.RULES} == TABLES


@pytest.mark.article("14.III.10.2")
def test_each_state_that_an_act_brings_has_a_rule() -> None:
    """A block and a lapse hold and lapse claims without a row of the office."""
    states = {
        name.removeprefix("payoffice_claim.state_")
        for name in NAMES
        if name.startswith("payoffice_claim.state_")
    }
    assert states == set(Claim.State.values) - {Claim.State.HELD, Claim.State.LAPSED}


@pytest.mark.django_db
@pytest.mark.parametrize("rule", journal_rules.RULES, ids=NAMES)
def test_a_rule_is_a_query_that_finds_nothing_among_no_rows(rule: journal_rules.Rule) -> None:
    assert list(broken(rule)) == []

"""Read the tickets of a contest as the leaves of its seal (14.III.1.5)."""

import pytest

from core.proofs import merkle
from core.proofs.merkle import leaf_hash
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket
from lototrot.services.seal import leaves
from tests.support import factories, rounds

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.1.5")]


@pytest.fixture
def contest() -> Contest:
    """Sell five tickets of the contest, at two premises, and one of another contest."""
    contest = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2)
    rounds.sell(contest, factories.point(), [(1, 1), (1, 2), (3, 1)])
    rounds.sell(contest, factories.point(), [(2, 4), (7, 7)])
    factories.sell(factories.contest(kind="five-races"), factories.point())
    return contest


def by_hand(contest: Contest) -> list[bytes]:
    """Return the leaves, each built field by field, in the order of ids."""
    return [leaves.leaf(ticket) for ticket in Ticket.objects.filter(contest=contest).order_by("pk")]


def test_the_rows_of_the_database_are_the_leaves_built_field_by_field(contest: Contest) -> None:
    assert list(leaves.sealed_leaves(contest)) == by_hand(contest)


def test_the_blocks_have_the_root_and_the_sums_of_the_tickets(contest: Contest) -> None:
    blocks = leaves.hashed(contest)
    assert blocks.roots == merkle.root([leaf_hash(leaf) for leaf in by_hand(contest)])
    assert blocks.first_ids == [Ticket.objects.filter(contest=contest).earliest("pk").pk]
    assert (blocks.tickets, blocks.bets, blocks.takings_cents) == (5, 14, 1400)


def test_a_range_of_ids_has_the_hashes_of_its_tickets(contest: Contest) -> None:
    ids = list(Ticket.objects.filter(contest=contest).order_by("pk").values_list("pk", flat=True))
    hashes = leaves.hashes_between(contest, first_id=ids[1], below_id=ids[4])
    assert hashes == [leaf_hash(leaf) for leaf in by_hand(contest)[1:4]]


def test_a_contest_without_tickets_has_no_block() -> None:
    assert leaves.hashed(factories.contest()).first_ids == []


def test_a_ticket_at_other_premises_than_its_terminals_is_refused(contest: Contest) -> None:
    at, elsewhere = factories.point(), factories.point()
    mixed = factories.Point(
        elsewhere.premises, at.terminal, at.operator, at.session, at.token, at.session_token
    )
    rounds.sell(contest, mixed, [(1, 1)])
    with pytest.raises(leaves.LeafUnsound):
        leaves.hashed(contest)
    with pytest.raises(leaves.LeafUnsound):
        list(leaves.sealed_leaves(contest))

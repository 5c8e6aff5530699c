"""Make the ends on the day of tampering: of a play, of a game of each kind; and valuations."""

from collections.abc import Callable

from core.payoffice.models import Deposit
from core.payoffice.services.deposits import deposit_arrive
from core.premises.models import Premises
from core.premises.services import terminal_revoke
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.powers import Role
from lototrot.services.authority.ending import end_propose
from promotrot.models.emission import Emission
from promotrot.models.voucher import Voucher
from promotrot.services.debts.ending import game_end_propose
from promotrot.services.office.stopping import play_end_propose
from tests.support import emitting, factories
from tests.support import paying as given


def endings_make(office: Premises, cashier: StaffActor) -> None:
    """Make an end of each kind, with the cashier of the Central Office, on the day of payments."""
    deposit_arrive(by=cashier, deposit=Deposit.objects.get().uuid, premises=office.code)
    _play_ended(office, cashier)
    _game_ended()
    emitting.planned(emitting.approved(emitting.document("six-at-the-post")))
    by, other = factories.two_organisers()
    factories.bet_type("eight-races")
    ending = end_propose(by=by, bet_type="eight-races", decision="Resolució 3", destinations=[])
    two_persons.confirm(proposal=ending.uuid, by=other)


def _play_ended(office: Premises, cashier: StaffActor) -> None:
    """End a winning play of premises that have no terminal any more, and hand its voucher over
    [P19].
    """
    emission, point = _opened("stranded", lambda tiers: bool(tiers[0])), factories.point()
    (play,) = emitting.sold(emission, 1, point)
    terminal_revoke(by=factories.staff(Role.ORGANISER), terminal=point.terminal.code)
    ending = play_end_propose(by=cashier, ident=play, reason="Closed")
    two_persons.confirm(proposal=ending.uuid, by=given.cashier(office))
    voucher = Voucher.objects.get(ticket__uuid=play)
    given.handed_over(cashier, voucher.uuid, "The receipt of the terminal")


def _game_ended() -> None:
    """End a game that sold two losing tickets, so that their share of prizes is drawn [P2]."""
    emission = _opened("owing", lambda tiers: not any(tiers[:2]))
    emitting.sold_and_played(emission, 2)
    game = emitting.closed(emission).game
    by = factories.staff(Role.ORGANISER)
    emitting.both(game_end_propose(by=by, game=game, winners=1))


def _opened(code: str, wanted: Callable[[bytes], bool]) -> Emission:
    """Return an emission on sale of a small game, with such tiers on its tickets."""
    definition = emitting.small(code)
    seed = emitting.seed_where(f"{code}/1", wanted, definition)
    with emitting.seeded(seed):
        return emitting.opened(definition)

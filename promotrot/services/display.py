"""Record that rules and percentage of a game are on display where it is sold (15.III.5.2)."""

from core.database import clock
from core.premises.access import Capability, TerminalActor
from promotrot.models.emission import Emission
from promotrot.models.game import DisplayAcknowledgement
from promotrot.selectors.facts import EmissionUnknown
from promotrot.services.selling import EmissionClosed, EmissionNotOpen

_ENDED = (*Emission.OVER, Emission.State.ABANDONED)


def display_acknowledge(*, by: TerminalActor, emission_id: int) -> DisplayAcknowledgement:
    """Record the operator's declaration that the game of an emission is on display [P20].

    It holds for every emission of the same approved version. A second call changes nothing. Raises
    TerminalCannot, EmissionUnknown, EmissionNotOpen, EmissionClosed.
    """
    by.need(Capability.SELL)
    emission = Emission.objects.filter(pk=emission_id).first()
    if emission is None:
        raise EmissionUnknown(emission=emission_id)
    if emission.state in _ENDED:
        raise EmissionClosed
    if emission.state not in Emission.ON_SALE:
        raise EmissionNotOpen
    acknowledgement, _ = DisplayAcknowledgement.objects.get_or_create(
        approval_id=emission.approval_id,
        terminal_id=by.terminal_id,
        operator_id=by.operator_id,
        defaults={"acknowledged_at": clock.now()},
    )
    return acknowledgement

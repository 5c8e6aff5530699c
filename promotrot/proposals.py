"""List the acts of Promotrot that two persons must do."""

from promotrot.services import closing, emissions, games
from promotrot.services.debts import deciding, ending
from promotrot.services.office import handing, stopping

KINDS = (
    games.GAME,
    games.APPROVAL,
    emissions.OPENING,
    closing.CLOSING,
    ending.ENDING,
    deciding.DECISION,
    stopping.ENDING,
    handing.HANDOVER,
)

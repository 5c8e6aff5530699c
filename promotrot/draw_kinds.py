"""List Promotrot's kinds of public draw."""

from core.draws.kinds import Kind
from promotrot.services.debts.drawing import DEBT_DRAW

KINDS: tuple[Kind, ...] = (DEBT_DRAW,)

"""Contribute Lototrot's kind of public draw."""

from core.draws.kinds import Kind
from lototrot.services.races.drawing import RACE_DRAW

KINDS: tuple[Kind, ...] = (RACE_DRAW,)

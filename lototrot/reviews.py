"""Reverse what was settled with bets that a resolution put in breach [C9, E10]."""

from core.premises.resolutions import Review
from lototrot.services.settlement.breach import undecided_hold, undecided_reverse

REVIEWS: tuple[Review, ...] = (Review(hold=undecided_hold, after=undecided_reverse),)

"""Promotrot's chapters of the race day demonstration."""

from core.tools.raceday.stage import Chapter
from promotrot.raceday import story

CHAPTERS: tuple[Chapter, ...] = (
    Chapter(20, "Promotrot", story.tell),
    Chapter(70, "the games now on sale", story.put_on_sale),
)

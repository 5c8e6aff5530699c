"""The chapters that Promotrot tells in the race day."""

from core.tools.raceday.stage import Chapter
from promotrot.raceday import story

CHAPTERS: tuple[Chapter, ...] = (
    Chapter(20, "Promotrot: instant tickets", story.tell),
    Chapter(70, "Promotrot: the games now on sale", story.put_on_sale),
)

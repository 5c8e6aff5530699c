"""List the chapters that Lototrot tells in the race day."""

from core.tools.raceday.stage import Chapter
from lototrot.raceday import drawing, nights, paying, story

CHAPTERS: tuple[Chapter, ...] = (
    Chapter(10, "A race day", story.tell, begins_at=story.morning),
    Chapter(30, "The prize office", paying.tell),
    Chapter(40, "A race that is not run", drawing.tell),
    Chapter(60, "A month of nights", nights.tell),
)

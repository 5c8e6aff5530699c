"""Lototrot's chapters of the race day demonstration."""

from core.tools.raceday.stage import Chapter
from lototrot.raceday import drawing, nights, paying, story

CHAPTERS: tuple[Chapter, ...] = (
    Chapter(10, "a race day", story.tell, story.morning),
    Chapter(15, "the prize office", paying.tell),
    Chapter(18, "a race not run", drawing.tell),
    Chapter(60, "a month of nights", nights.tell),
)

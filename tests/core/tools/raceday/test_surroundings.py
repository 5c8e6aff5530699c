"""Check the settings with which the processes of a race day are started."""

from datetime import UTC, datetime

from core.tools.raceday.surroundings import settings_of_a_race_day


def test_a_race_day_is_over_before_the_nights_are_asked_for() -> None:
    """One that began a minute before them did the nights of five months, which took a minute."""
    before = datetime.now(UTC).minute
    minute = int(settings_of_a_race_day()["NIGHTS_AT_MINUTE"])
    assert (minute - before) % 60 in (59, 0)  # 0 where a minute ended meanwhile: then an hour

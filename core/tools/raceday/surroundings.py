"""Tell the settings with which the processes of a race day are started."""

from datetime import UTC, datetime


def settings_of_a_race_day() -> dict[str, str]:
    """Return the settings that differ from those of development, by name.

    A race day moves a simulated clock over months and asks for the nights that it shows. So beat
    asks for its first ones nearly an hour after the start.
    """
    return {
        "SIMULATED_TIME": "1",
        "NIGHTS_AT_MINUTE": str((datetime.now(UTC).minute - 1) % 60),
        # All people and terminals of the demonstration share one address, and come within a minute.
        "ANONYMOUS_PER_S": "200",
        "ANONYMOUS_TOTAL_PER_S": "400",
    }

"""Name the power to watch the clock, and list the roles that have it."""

from core.staff.powers import Role

WATCH = "clock.watch"

POWERS = {
    WATCH: frozenset({Role.ORGANISER, Role.INSPECTOR, Role.AUDITOR, Role.ADMINISTRATOR}),
}

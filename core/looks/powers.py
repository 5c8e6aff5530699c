"""Name the power to read who looked at what, and list the roles that have it."""

from core.staff.powers import Role

READ = "looks.read"

POWERS = {
    READ: frozenset({Role.INSPECTOR, Role.AUDITOR}),
}

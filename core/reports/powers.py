"""Name the acts on reports that need a power, and list the roles that may do each."""

from core.staff.powers import Role

READ = "reports.read"

POWERS = {
    READ: frozenset({Role.ORGANISER, Role.INSPECTOR, Role.AUDITOR, Role.SUPERVISOR}),
}

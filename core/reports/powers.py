"""Name the acts on reports and lists that need a power, and list the roles that may do each."""

from core.staff.powers import Role

READ = "reports.read"
SAVE_VIEWS = "reports.save_views"

POWERS = {
    SAVE_VIEWS: frozenset(Role),
    READ: frozenset({Role.ORGANISER, Role.INSPECTOR, Role.AUDITOR, Role.SUPERVISOR}),
}

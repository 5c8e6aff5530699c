"""Name the acts on the nightly jobs that need a power, and list the roles that may do each."""

from core.staff.powers import Role

READ = "nights.read"
RUN = "nights.run"
AUDIT = "nights.audit"

POWERS = {
    READ: frozenset(
        {Role.ORGANISER, Role.INSPECTOR, Role.AUDITOR, Role.SUPERVISOR, Role.ADMINISTRATOR}
    ),
    AUDIT: frozenset({Role.ORGANISER, Role.INSPECTOR, Role.AUDITOR}),
    RUN: frozenset({Role.ORGANISER, Role.SUPERVISOR}),
}

"""Name the acts on premises that need a power, and list the roles that may do each."""

from core.staff.powers import Role

READ = "premises.read"
REGISTER = "premises.register"
SUSPEND = "premises.suspend"
ENTER_RESOLUTION = "premises.resolution"

POWERS = {
    READ: frozenset(
        {Role.ORGANISER, Role.INSPECTOR, Role.AUDITOR, Role.SUPERVISOR, Role.ADMINISTRATOR}
    ),
    REGISTER: frozenset({Role.ORGANISER}),
    SUSPEND: frozenset({Role.ORGANISER}),
    ENTER_RESOLUTION: frozenset({Role.ORGANISER}),
}

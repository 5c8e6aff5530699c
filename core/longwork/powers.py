"""Name the acts on long work that need a power, and list the roles that may do each."""

from core.staff.powers import Role

READ = "longwork.read"
READ_ALL = "longwork.read_all"

POWERS = {
    READ: frozenset(
        {Role.ORGANISER, Role.INSPECTOR, Role.AUDITOR, Role.SUPERVISOR, Role.ADMINISTRATOR}
    ),
    READ_ALL: frozenset({Role.INSPECTOR, Role.AUDITOR}),
}

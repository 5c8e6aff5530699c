"""Name the acts on the journal that need a power, and list the roles that may do each."""

from core.staff.powers import Role

READ = "journal.read"

POWERS = {
    READ: frozenset({Role.INSPECTOR, Role.AUDITOR}),
}

"""Name the acts on the ledger that need a power, and list the roles that may do each."""

from core.staff.powers import Role

READ = "ledger.read"

POWERS = {
    READ: frozenset({Role.ORGANISER, Role.AUDITOR, Role.INSPECTOR}),
}

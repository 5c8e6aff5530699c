"""Name the acts on periods that need a power, and list the roles that may do each."""

from core.staff.powers import Role

CLOSE = "periods.close"
CONFIRM = "periods.confirm"
READ = "periods.read"
RETIRE = "periods.retire"

POWERS = {
    CLOSE: frozenset({Role.ORGANISER}),
    RETIRE: frozenset({Role.ORGANISER}),
    CONFIRM: frozenset({Role.INSPECTOR, Role.AUDITOR}),
    READ: frozenset({Role.ORGANISER, Role.INSPECTOR, Role.AUDITOR}),
}

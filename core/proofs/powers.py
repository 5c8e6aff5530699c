"""Name the acts on the public log that need a power, and list the roles that may do each."""

from core.staff.powers import Role

READ = "proofs.read"
WATCH = "proofs.watch"

POWERS = {
    READ: frozenset(Role),  # it is public
    WATCH: frozenset({Role.ORGANISER, Role.INSPECTOR, Role.AUDITOR, Role.ADMINISTRATOR}),
}

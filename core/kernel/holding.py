"""Say which keys each kind of process holds, and which addresses need the seeds of emissions.

`PROCESS` names the kind. `console` (the default) has all keys: it is for the commands of people.
"""

from typing import Final

_WEB: Final = frozenset({"SECRET_KEY", "CODE_KEYS", "DATA_KEYS", "TOKEN_KEYS"})
_ALL: Final = _WEB | {"SEED_KEYS", "SIGNING_KEYS"}
HELD: Final = {
    "console": _ALL,
    "web": _WEB,
    "play": _WEB | {"SEED_KEYS"},
    "worker": frozenset({"SEED_KEYS"}),
    "signer": frozenset({"SIGNING_KEYS"}),
    "live": frozenset(),
    "beat": frozenset(),
    "migrate": frozenset(),
}

PUBLISHING: Final = frozenset({"web", "play", "worker"})
"""The signer signs for these processes, which publish."""

OPEN: Final = ("/api/v1/promotrot/public/",)
SEEDED: Final = (
    "/api/v1/promotrot/",
    "/admin/promotrot/",
    "/api/v1/proposals",
    "/admin/staff/proposal/",
    "/api/v1/nights",
    "/admin/nights/",
)
"""A process with SEED_KEYS answers paths that begin like these and not like one of `OPEN`: plays,
emissions, all that a second person confirms, and the work of a night."""


def needs_seeds(path: str) -> bool:
    """Return whether a request of that path is for a process with SEED_KEYS."""
    return path.startswith(SEEDED) and not path.startswith(OPEN)

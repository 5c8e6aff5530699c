"""Say in words what a transfer is. Each app has the words of its own kinds in
`rebuild.py`, beside what computes them again.
"""

from core.contributions import contributed_entries


def title_of(kind: str) -> str:
    """Return what transfers of a kind are, in the language of the moment; of an unknown one, the
    kind."""
    return str(contributed_entries("rebuild", "TRANSFERS").get(kind, kind))


def kinds() -> set[str]:
    """Return every kind of transfer that an app makes."""
    return set(contributed_entries("rebuild", "TRANSFERS"))

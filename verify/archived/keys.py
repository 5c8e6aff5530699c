"""Find the instants in which each key of the public log signs. Used by journal.py."""

from typing import NamedTuple

from public_log import Log


class Key(NamedTuple):
    """A key of the public log; it signs from `since` until before `until` ("": still)."""

    public: bytes
    since: str
    until: str


def keys_in_force(log: Log) -> dict[str, Key]:
    """Return the keys by name, each with the instants from and before which it may sign."""
    entries = [entry for entry in log.entries.values() if entry["kind"] == "proofs.key"]
    instants = [entry["at"] for entry in entries]
    return {
        entry["document"]["key"]: Key(bytes.fromhex(entry["document"]["public_key"]), since, until)
        for entry, since, until in zip(entries, instants, [*instants[1:], ""], strict=True)
    }

"""Find the batches of the journal that each key of the public log signs. Used by journal.py."""

from typing import NamedTuple

from public_log import Log


class Key(NamedTuple):
    """A key of the public log; it signs batches after `after` up to `last` (None: all since).

    `number` is its place among the keys.
    """

    public: bytes
    number: int
    after: int
    last: int | None

    def signs(self, batch: int, before: "Key | None") -> bool:
        """Return whether it was in force when a batch was sealed, `before` signing the last one."""
        is_next = not before or self.number >= before.number
        return is_next and self.after < batch and (self.last is None or batch <= self.last)


def keys_in_force(log: Log) -> dict[str, Key]:
    """Return the keys by name. A checkpoint names the newest batch: those up to it were sealed
    before it, the others after it, whatever a clock said that was wrong."""
    keys: dict[str, Key] = {}
    newest = 0
    for (kind, name), entry in log.entries.items():
        if kind == "journal.checkpoint":
            newest = entry["document"]["batch"]
            *ended, _ = keys
            for each in ended:
                if keys[each].last is None:
                    keys[each] = keys[each]._replace(last=newest)
        elif kind == "proofs.key":
            public = bytes.fromhex(entry["document"]["public_key"])
            keys[name] = Key(public, len(keys), newest, None)
    return keys

"""Check that a stolen database says nothing about unsold tickets (docs/promotrot.md).

The dump is a real one of every table. The attacker knows the source and tries every value in the
dump as the seed, as the key and as the encryption key. With the values that are not in the database
the same attacker finds the winners at once.
"""

import secrets
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.conf import settings as real

from core.database import encryption
from promotrot.engine.plan import Plan
from promotrot.engine.plan_json import read_plan
from promotrot.engine.shuffle import block_prizes, commitment, mixed_key
from promotrot.models.emission import Emission, Lane
from promotrot.services.closing import seed_reveal
from promotrot.services.dealing import dealing, open_seed, seed_cell
from tests.support import emitting
from tests.support.databases import Database
from tests.support.verifying.dumping import candidates, dumped

SOLD = 12


@dataclass(frozen=True, slots=True)
class Loot:
    """The dump, and what is public about the emission on sale."""

    text: str
    reference: str
    plan: Plan
    published: bytes
    entropy: str
    encrypted: bytes

    def key_from(self, seed: bytes) -> bytes | None:
        """Return the emission's key if the bytes are its seed, by the commitment."""
        if commitment(seed, self.reference, self.plan) != self.published:
            return None
        return mixed_key(seed, self.published, self.entropy.encode())


@contextmanager
def _keys(settings: LazySettings, key: bytes) -> Iterator[None]:
    """Encrypt and decrypt with another key than the operator's."""
    kept = settings.SEED_KEYS
    settings.SEED_KEYS = (kept[0], {kept[0]: key})
    encryption._cipher.cache_clear()
    yield
    settings.SEED_KEYS = kept
    encryption._cipher.cache_clear()


def _decrypted_with(loot: Loot, settings: LazySettings, key: bytes) -> bytes | None:
    with _keys(settings, key):
        try:
            return encryption.decrypt(seed_cell(loot.reference), loot.encrypted)
        except encryption.ContentUnreadable:
            return None


@pytest.fixture
def loot(own_database: Database, tmp_path: Path) -> tuple[Loot, Emission]:
    """Return an emission on sale, partly sold and played, beside an earlier one that is
    revealed.
    """
    before = emitting.closed(emitting.opened(emitting.small("before")))
    assert seed_reveal(emission=before)
    emission = emitting.opened(emitting.small())
    emitting.sold_and_played(emission, SOLD)
    text = dumped(own_database, tmp_path)
    committed = emission.commitment
    read = Loot(
        text,
        emission.reference,
        read_plan(emission.plan),
        bytes.fromhex(committed.digest),
        emission.witness.entropy,
        bytes(committed.encrypted_seed),
    )
    return read, emission


@pytest.mark.article("15.II.2")
def test_a_full_dump_gives_no_winner_without_the_key_and_all_of_them_with_it(
    loot: tuple[Loot, Emission], settings: LazySettings
) -> None:
    stolen, emission = loot
    assert stolen.reference in stolen.text and stolen.published.hex() in stolen.text  # it is whole
    seed = open_seed(emission.commitment)
    key = mixed_key(seed, stolen.published, stolen.entropy.encode())
    tiers = block_prizes(key, stolen.reference, stolen.plan, 0)
    for secret in (seed, key, tiers, tiers[SOLD:], bytes(real.SEED_KEYS[1][real.SEED_KEYS[0]])):
        forms = (secret.hex(), b64encode(secret).decode(), str(int.from_bytes(secret, "big")))
        assert not any(form in stolen.text for form in forms)
    tried = list(candidates(stolen.text))
    assert len(tried) > 50  # digests, commitments, signatures, encrypted bytes
    assert stolen.published in tried and stolen.encrypted[13:45] in tried
    assert [each for each in tried if stolen.key_from(each) is not None] == []
    assert [each for each in tried if _decrypted_with(stolen, settings, each)] == []
    # The same attack finds everything as soon as the one key that is kept elsewhere is known.
    version, ring = real.SEED_KEYS
    opened = _decrypted_with(stolen, settings, ring[version])
    assert opened is not None and stolen.key_from(opened) == key
    winning = [at for at in range(SOLD, emission.tickets) if tiers[at]]
    assert winning == [
        at for at in range(SOLD, emission.tickets) if dealing(emission.pk).tier(0, at)
    ]


@pytest.mark.django_db
@pytest.mark.article("15.II.2")
def test_what_is_stored_before_the_sale_is_the_same_whatever_the_seed() -> None:
    """Blocks with different prizes are opened in another order, and no stored value shows it."""
    stored = set()
    orders = set()
    for number in range(8):
        with emitting.seeded(secrets.token_bytes(32)):
            emission = emitting.opened(emitting.document("six-at-the-post", code=f"six-{number}"))
        lanes = Lane.objects.filter(emission=emission).order_by("opening", "first")
        stored.add(tuple(lanes.values_list("opening", "first", "tickets", "taken", "open")))
        firsts = tuple(dealing(emission.pk).block(opening)[:50] for opening in range(3))
        orders.add(firsts)
    assert len(stored) == 1 and len(orders) == 8

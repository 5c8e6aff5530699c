"""Compute the prizes of an emission's tickets, for the process that sells them.

The seed is decrypted here only. The seed, the key and a block's prizes never leave the process. Ask
only for tickets that are sold.
"""

from dataclasses import dataclass, field

from core.database import encryption
from core.database.kept import kept
from core.kernel.errors import Conflict
from core.kernel.sampling import Stream
from promotrot.engine.plan import Plan
from promotrot.engine.plan_json import read_plan
from promotrot.engine.shuffle import block_order, block_prizes, mixed_key, picture_stream
from promotrot.engine.shuffle import commitment as committed
from promotrot.models.emission import Commitment, Emission, SeedReveal

_EMISSIONS_KEPT = 256
_BLOCKS_KEPT = 2_048


class EmissionNotDealt(Conflict):
    code = "emission_not_dealt"
    message = "No prizes lie on the tickets of this emission, or its witness has not acted yet."


@dataclass(frozen=True, slots=True)
class Dealing:
    """The tiers of an emission's tickets under its key. A tier is the number of a `PrizeTier`."""

    emission_id: int
    reference: str
    plan: Plan
    first_tier: int
    _key: bytes = field(repr=False)

    def tier(self, opening: int, position: int) -> int:
        """Return the tier (0: none) of the ticket sold at a position. Raises IndexError if there is
        none.
        """
        if position < 0:
            raise IndexError(position)
        tier = _block(self.emission_id, opening)[position]
        return tier + self.first_tier - 1 if tier else 0

    def block(self, opening: int) -> bytes:
        """Return the tiers of a complete block by the plan's numbers, one byte per ticket."""
        return block_prizes(self._key, self.reference, self.plan, opening)

    def picture(self, opening: int, position: int) -> Stream:
        """Return the source of the ticket's picture, for `promotrot.engine.reveal.reveal`."""
        return picture_stream(self._key, self.reference, opening, position)

    def block_tickets(self) -> list[int]:
        """Return the size of each block in the order of opening."""
        order = block_order(self._key, self.reference, self.plan.blocks)
        return [self.plan.block(number).tickets for number in order]


@kept(most=_BLOCKS_KEPT)
def _block(emission_id: int, opening: int) -> bytes:
    return dealing(emission_id).block(opening)


@kept(most=_EMISSIONS_KEPT)
def dealing(emission_id: int) -> Dealing:
    """Return the dealing of an emission that a witness has taken part in. Raises
    EmissionNotDealt.
    """
    commitment = (
        Commitment.objects.select_related("emission", "emission__witness")
        .filter(emission=emission_id, emission__witness__isnull=False)
        .first()
    )
    if commitment is None:
        raise EmissionNotDealt(emission=emission_id)
    emission: Emission = commitment.emission
    plan = read_plan(emission.plan)
    key = mixed_key(
        _seed(commitment, plan), bytes.fromhex(commitment.digest), emission.witness.entropy.encode()
    )
    tiers = emission.tiers.count()
    return Dealing(emission_id, emission.reference, plan, tiers - len(plan.tiers) + 1, key)


def _seed(commitment: Commitment, plan: Plan) -> bytes:
    """Return the seed, or where its key is lost the published one, if it is that committed to.
    Raises ContentUnreadable.
    """
    try:
        return open_seed(commitment)
    except encryption.ContentUnreadable:
        emission = commitment.emission
        reveal = SeedReveal.objects.filter(emission=emission).first()
        seed = bytes.fromhex(reveal.seed) if reveal else b""
        if not seed or committed(seed, emission.reference, plan).hex() != commitment.digest:
            raise
        return seed


def seed_cell(emission: str) -> encryption.Cell:
    """Return where the seed of an emission, by its reference, is encrypted."""
    return encryption.Cell(Commitment, "encrypted_seed", emission, ring="SEED_KEYS")


def open_seed(commitment: Commitment) -> bytes:
    """Return the decrypted seed. Raises ContentUnreadable."""
    cell = seed_cell(commitment.emission.reference)
    return encryption.decrypt(cell, bytes(commitment.encrypted_seed))

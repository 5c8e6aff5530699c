"""Sign and check with the keys of the settings."""

from typing import Any

import pytest

from core.proofs import keys
from core.proofs.models import SigningKey
from core.proofs.wire import key_id

# RFC 8032, 7.1, test 1: private key, public key and the signature of the empty message.
SEED = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
PUBLIC = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
SIGNATURE = bytes.fromhex(
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
    "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
)


@pytest.fixture
def key(settings: Any) -> SigningKey:
    settings.SIGNING_KEYS = ("2", {"1": SEED, "2": bytes(32)})
    return SigningKey(key_id=key_id(PUBLIC), public_key=PUBLIC)


def test_signatures_are_those_of_the_rfc(key: SigningKey) -> None:
    assert keys.public_of(SEED) == PUBLIC
    assert keys.sign(key, b"") == SIGNATURE
    assert keys.signed(key, b"", SIGNATURE)
    assert not keys.signed(key, b"another message", SIGNATURE)


def test_an_older_version_of_the_ring_still_signs(key: SigningKey) -> None:
    assert keys.current_public() == keys.public_of(bytes(32)) != PUBLIC
    assert keys.is_ours(key)


def test_a_key_without_its_private_half_cannot_sign(key: SigningKey, settings: Any) -> None:
    settings.SIGNING_KEYS = ("2", {"2": bytes(32)})
    assert not keys.is_ours(key)
    with pytest.raises(keys.SigningKeyMissing) as refusal:
        keys.sign(key, b"")
    assert refusal.value.data == {"key": key_id(PUBLIC)}
    assert keys.signed(key, b"", SIGNATURE), "checking needs the public half only"

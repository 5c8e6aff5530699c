"""Signatures are accepted exactly where another implementation accepts them."""

import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.support.verifying.load import FOLDER, verifier

ed25519 = verifier("ed25519")
SEED, MESSAGE = bytes(range(32)), b"seven races"
# RFC 8032, 7.1, test 1: the empty message.
RFC_KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
RFC_SIGNATURE = (
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
    "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
)


def signed(message: bytes = MESSAGE) -> tuple[bytes, bytes]:
    private = Ed25519PrivateKey.from_private_bytes(SEED)
    public = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return public, private.sign(message)


def test_the_example_of_the_standard_holds() -> None:
    assert ed25519.verify(bytes.fromhex(RFC_KEY), b"", bytes.fromhex(RFC_SIGNATURE))


def test_a_true_signature_holds_and_any_changed_bit_does_not() -> None:
    public, signature = signed()
    assert ed25519.verify(public, MESSAGE, signature)
    assert not ed25519.verify(public, MESSAGE + b".", signature)
    for at in range(0, 64, 7):
        changed = bytearray(signature)
        changed[at] ^= 1
        assert not ed25519.verify(public, MESSAGE, bytes(changed)), at
    assert not ed25519.verify(bytes(32), MESSAGE, signature)


@pytest.mark.parametrize("key, signature", [(31, 64), (32, 63), (0, 64), (32, 0)])
def test_wrong_lengths_are_refused(key: int, signature: int) -> None:
    assert not ed25519.verify(bytes(key), MESSAGE, bytes(signature))


def test_the_second_form_of_a_scalar_is_refused() -> None:
    public, signature = signed()
    again = int.from_bytes(signature[32:], "little") + ed25519.L
    assert not ed25519.verify(public, MESSAGE, signature[:32] + again.to_bytes(32, "little"))


@pytest.mark.parametrize("number", [ed25519.P, 2**255 - 1, 2])
def test_bytes_that_encode_no_point_are_refused(number: int) -> None:
    assert ed25519.point_of(number.to_bytes(32, "little")) is None


def test_the_command_says_whether_it_holds(tmp_path: Path) -> None:
    public, signature = signed()
    file = tmp_path / "message"
    for content, code in ((MESSAGE, 0), (b"eight races", 1)):
        file.write_bytes(content)
        command = [sys.executable, str(FOLDER / "ed25519.py"), public.hex(), signature.hex()]
        ended = subprocess.run([*command, str(file)], capture_output=True, check=False)
        assert ended.returncode == code

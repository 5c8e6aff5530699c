"""Signatures of terminals: which key, which proof and which text is right."""

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from core.premises.proving import (
    KeyUnfit,
    Proof,
    ProofMissing,
    SignedRequest,
    from_base64url,
    public_key_read,
    signed_by,
)
from core.tools.raceday.key import TerminalKey, base64url

REQUEST = SignedRequest("POST", "/api/v1/terminal/token", "token", b"{}")


def test_a_proof_of_the_demonstration_is_right() -> None:
    key = TerminalKey()
    proof = Proof.of(key.prove(REQUEST.path, REQUEST.token, REQUEST.body)["X-Terminal-Proof"])
    public = public_key_read(key.public)
    assert signed_by(public, proof.signature, REQUEST.statement(proof.number))
    assert not signed_by(public, proof.signature, REQUEST.statement(proof.number + 1))
    other = public_key_read(TerminalKey().public)
    assert not signed_by(other, proof.signature, REQUEST.statement(proof.number))


@pytest.mark.parametrize(
    "other",
    [
        SignedRequest("DELETE", REQUEST.path, REQUEST.token, REQUEST.body),
        SignedRequest("POST", "/api/v1/terminal/session", REQUEST.token, REQUEST.body),
        SignedRequest("POST", REQUEST.path, "another", REQUEST.body),
        SignedRequest("POST", REQUEST.path, REQUEST.token, b"{ }"),
    ],
)
def test_every_part_of_the_request_is_signed(other: SignedRequest) -> None:
    assert other.statement(1) != REQUEST.statement(1)


def test_r_and_s_are_taken_as_webcrypto_writes_them() -> None:
    key, text = ec.generate_private_key(ec.SECP256R1()), REQUEST.statement(7)
    public = key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    signature = key.sign(text, ec.ECDSA(hashes.SHA256()))
    r, s = decode_dss_signature(signature)
    raw = r.to_bytes(32) + s.to_bytes(32)
    assert signed_by(public, raw, text)
    assert not signed_by(public, raw[::-1], text)
    assert not signed_by(public, bytes(64), text)
    assert not signed_by(public, b"not a signature", text)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "7",
        "7.",
        ".AAAAAAAAAAAA",
        "-1.AAAAAAAAAAAA",
        "x.AAAAAAAAAAAA",
        "1.AAAA",
        "1.A\u00e9AAAAAAAAAA",
        "1.AAAA AAAAAAAA",
        "1." + "A" * 201,
        f"{2**53}.AAAAAAAAAAAA",
        "\u0661.AAAAAAAAAAAA",
    ],
)
def test_headers_that_are_no_proof(header: str) -> None:
    with pytest.raises(ProofMissing):
        Proof.of(header)


# Keys of P-256 in form, with object identifiers that nobody has.
_POINT = bytes.fromhex("03420004") + bytes([1]) * 64
_UNKNOWN_ALGORITHM = bytes.fromhex("304b3005") + bytes.fromhex("06032a0304") + _POINT
_UNKNOWN_CURVE = bytes.fromhex("3055300f06072a8648ce3d020106042a030405") + _POINT


def test_only_keys_of_the_curve_are_kept() -> None:
    form = serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    foreign = [
        ec.generate_private_key(ec.SECP384R1()).public_key().public_bytes(*form),
        ed25519.Ed25519PrivateKey.generate().public_key().public_bytes(*form),
        b"no key",
        b"",
        _UNKNOWN_ALGORITHM,
        _UNKNOWN_CURVE,
    ]
    for key in foreign:
        with pytest.raises(KeyUnfit):
            public_key_read(base64url(key))
    assert from_base64url(base64url(b"ab")) == b"ab"

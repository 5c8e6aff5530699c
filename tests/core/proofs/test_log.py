"""Check the public log: one chain, one entry per subject, keys that are replaced or lost."""

import secrets
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

from core.config.holding import Absent
from core.kernel.canonical import NotCanonical, canonical_bytes, canonical_sha256
from core.proofs import keys, log, wire
from core.proofs.models import LogEntry, SigningKey
from tests.support.verifying.load import verifier

entry = verifier("entry")
ed25519 = verifier("ed25519")
public_log = verifier("public_log")


@pytest.fixture
def ring(settings: Any) -> Any:
    settings.SIGNING_KEYS = ("1", {"1": secrets.token_bytes(32)})
    return settings


def publish(subject: str = "a", **document: Any) -> LogEntry:
    return log.publish(kind="test.fact", subject=subject, document=document)


@pytest.mark.django_db
def test_entries_are_chained_signed_and_once_per_subject(ring: Any) -> None:
    first, second = publish("a", n=1), publish("b", text="Hipòdrom «Manacor»", list=[None, True])
    assert publish("a", n=1) == first
    with pytest.raises(log.PublishedOtherwise):
        publish("a", n=2)
    entries = [
        each.published() for each in LogEntry.objects.select_related("key").order_by("sequence")
    ]
    assert [each["kind"] for each in entries] == ["proofs.key", "test.fact", "test.fact"]
    assert [each["sequence"] for each in entries] == [1, 2, 3]
    assert entries[0]["previous"] == "00" * 32
    assert [each["previous"] for each in entries[1:]] == [
        entry.digest(each) for each in entries[:-1]
    ]
    public = bytes.fromhex(entries[0]["document"]["public_key"])
    entry.signed(entries[2], [public], "entry")
    assert entries[2]["document"] == second.document
    body = {name: value for name, value in entries[1].items() if name != "signature"}
    assert entry.canonical(body) == canonical_bytes(body)


@pytest.mark.django_db
def test_what_has_no_canonical_form_is_not_published(ring: Any) -> None:
    with pytest.raises(NotCanonical):
        publish(rate=0.1)


@pytest.mark.django_db
@pytest.mark.parametrize("field", [*verifier("documents").ENTRY, "more"])
def test_a_change_of_any_field_is_refused_by_name(ring: Any, field: str) -> None:
    journal = publish("a", n=1).published()
    public = keys.current_public()
    others = {"sequence": 7, "document": {"n": 2}, "at": "2030-01-01T00:00:00.000000Z"}
    changed = journal | {field: others.get(field, "00" * (len(str(journal.get(field, ""))) // 2))}
    named = field if field in ("format", "key", "more") else "signature"
    with pytest.raises(entry.Refused, match=rf"^entry\.{named}: "):
        entry.signed(changed, [public], "entry")
    if field in journal:
        del changed[field]
        with pytest.raises(entry.Refused, match=rf"^entry\.{field}: "):
            entry.signed(changed, [public], "entry")


@pytest.mark.django_db
def test_a_rotation_is_signed_by_the_old_key_and_a_loss_by_the_new(ring: Any) -> None:
    publish("a")
    one, two, three = (secrets.token_bytes(32) for _ in range(3))
    old = ring.SIGNING_KEYS[1]["1"]
    ring.SIGNING_KEYS = ("2", {"1": old, "2": one})
    publish("b")  # still under the key in force
    rotated = log.key_rotate(reason=SigningKey.Ended.ROTATION)
    publish("c")
    with pytest.raises(keys.KeyInForce):
        log.key_rotate(reason=SigningKey.Ended.ROTATION)
    ring.SIGNING_KEYS = ("3", {"3": two})
    with pytest.raises(keys.SigningKeyMissing):
        publish("d")
    with pytest.raises(keys.SigningKeyMissing):
        log.key_rotate(reason=SigningKey.Ended.ROTATION)
    lost = log.key_rotate(reason=SigningKey.Ended.LOSS)
    publish("d")
    ring.SIGNING_KEYS = ("4", {"4": three})
    log.key_rotate(reason=SigningKey.Ended.COMPROMISE)
    signers = list(LogEntry.objects.order_by("sequence").values_list("key__key_id", flat=True))
    first, _, _, last = SigningKey.objects.order_by("first_sequence")
    assert signers == [
        *(first.key_id,) * 4,
        *(rotated.key_id,) * 2,
        *(lost.key_id,) * 2,
        last.key_id,
    ]
    assert (rotated.first_sequence, SigningKey.objects.get(pk=rotated.pk).until_sequence) == (4, 7)
    journal = [each.published() for each in LogEntry.objects.order_by("sequence")]
    publics = [bytes(each.public_key) for each in (first, lost, last)]
    assert public_log.log_holds(journal, publics).startswith("WHOLE: 9")
    for number in range(3):  # each of the three is vouched for by nobody else
        with pytest.raises(entry.Refused, match="no signature confirms"):
            public_log.log_holds(journal, publics[:number] + publics[number + 1 :])
    assert SigningKey.objects.get(in_force=True) == last


@pytest.mark.django_db
def test_a_process_without_keys_believes_only_what_leads_to_the_key_in_force(ring: Any) -> None:
    """Such a process names that key alone, for a person to compare."""
    old = publish("a")
    ring.SIGNING_KEYS = ("2", ring.SIGNING_KEYS[1] | {"2": secrets.token_bytes(32)})
    log.key_rotate(reason=SigningKey.Ended.ROTATION)
    new = publish("b")
    forged = under_another_key(publish("c"))
    ring.SIGNER, ring.PROCESS, ring.SIGNING_KEYS = "", "migrate", Absent("SIGNING_KEYS", "migrate")
    log.need_sound(old)
    with CaptureQueriesContext(connection) as queries:
        log.need_sound(new)
    assert not queries.captured_queries, "an entry under the key in force needs no other"
    with pytest.raises(log.EntryUnsound):
        log.need_sound(forged)


def under_another_key(last: LogEntry) -> LogEntry:
    """Return an entry after the last one, under a key that was never in force."""
    seed = secrets.token_bytes(32)
    public, sequence = keys.public_of(seed), last.sequence + 1
    key = SigningKey.objects.create(
        key_id=wire.key_id(public),
        public_key=public,
        valid_from=last.at,
        first_sequence=sequence,
        in_force=False,
        valid_until=last.at,
        until_sequence=sequence,
        ended_by=SigningKey.Ended.ROTATION,
    )
    forged = LogEntry(
        sequence=sequence,
        at=last.at,
        kind="test.fact",
        subject="forged",
        document={},
        key=key,
        previous=last.digest,
    )
    forged.digest = canonical_sha256(forged.body())
    forged.signature = Ed25519PrivateKey.from_private_bytes(seed).sign(
        canonical_bytes(forged.body())
    )
    forged.save(force_insert=True)
    return forged


@pytest.mark.django_db
def test_the_command_rotates_and_says_what_is_in_force(ring: Any, capsys: Any) -> None:
    with pytest.raises(CommandError):
        call_command("signing_key", "show")
    publish()
    with pytest.raises(CommandError):
        call_command("signing_key", "rotation")
    call_command("signing_key", "show")
    assert keys.current_public().hex() in capsys.readouterr().out


@pytest.mark.django_db
@pytest.mark.parametrize("change", [{"sequence": 9}, {"previous": b"x" * 32}])
def test_the_database_refuses_a_gap_and_a_fork(ring: Any, change: dict[str, Any]) -> None:
    last = publish()
    values = {"sequence": 3, "previous": last.digest} | change
    with pytest.raises(DatabaseError, match="does not follow"), transaction.atomic():
        LogEntry.objects.create(
            at=last.at,
            kind="test.fact",
            subject="b",
            document={},
            digest=b"y" * 32,
            key=last.key,
            signature=last.signature,
            **values,
        )


# RFC 8032, 7.1: public key, message, signature.
VECTORS = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b4"
        "6bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d"
        "8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6"
        "594a7c15e9716ed28dc027beceea1ec40a",
    ),
]


@pytest.mark.parametrize(("public", "message", "signature"), VECTORS)
def test_the_published_check_agrees_with_the_rfc(public: str, message: str, signature: str) -> None:
    key, text, signed = (bytes.fromhex(each) for each in (public, message, signature))
    assert ed25519.verify(key, text, signed)
    assert not ed25519.verify(key, text + b"x", signed)
    for place in (0, 31, 32, 63):
        wrong = bytearray(signed)
        wrong[place] ^= 1
        assert not ed25519.verify(key, text, bytes(wrong))
    answer = int.from_bytes(signed[32:], "little") + ed25519.L
    assert not ed25519.verify(key, text, signed[:32] + answer.to_bytes(32, "little"))
    assert not ed25519.verify(key[:31], text, signed)
    assert not ed25519.verify(b"\xff" * 32, text, signed)


def test_the_published_check_agrees_with_the_library() -> None:
    for length in range(0, 200, 23):
        seed, message = secrets.token_bytes(32), secrets.token_bytes(length)
        public = keys.public_of(seed)
        signature = keys._private(seed).sign(message)
        assert ed25519.verify(public, message, signature)
        assert not ed25519.verify(public, message + b"\0", signature)

"""Sign through a process that alone has the keys: here a thread with a socket of its own."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.proofs import keys, signer, signing_process
from core.proofs.models import SigningKey
from core.proofs.wire import key_id

SEED = bytes(range(32))


@pytest.fixture
def signing(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Return the socket of a signer. Only the signer's thread sees the keys."""
    settings.SIGNING_KEYS = ("1", {"1": SEED})
    here = {name: getattr(keys, name) for name in ("current_public", "held_public", "sign_here")}
    publics = (here["current_public"](), here["held_public"]())
    path = str(tmp_path / "s")

    def answer(request: dict[str, str]) -> dict[str, Any]:
        if request["do"] == "keys":
            return {"current": publics[0].hex(), "held": [key.hex() for key in publics[1]]}
        return asked(request)

    asked = signing_process._answer
    monkeypatch.setattr(signing_process, "_answer", answer)
    with signing_process.Server(path) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        settings.SIGNER = path
        yield path
        server.shutdown()
        thread.join()


def test_what_is_published_is_signed_by_the_signer_and_by_nobody_else(
    signing: str, settings: Any
) -> None:
    public = keys.public_of(SEED)
    key = SigningKey(key_id=key_id(public), public_key=public)
    assert keys.current_public() == public and keys.is_ours(key)
    signature = keys.sign(key, b"an entry")
    assert keys.signed(key, b"an entry", signature)
    assert Path(signing).stat().st_mode & 0o777 == 0o660
    stranger = SigningKey(key_id="0" * 16, public_key=bytes(32))
    with pytest.raises(keys.SigningKeyMissing):
        keys.sign(stranger, b"an entry")


def test_nonsense_is_answered_and_the_signer_goes_on(signing: str) -> None:
    for request in ({}, {"do": "sign"}, {"do": "sign", "key": "x", "message": ""}):
        with pytest.raises(signer.SignerAway):
            signer.ask(request)
    assert signer.public_keys()[0] == keys.public_of(SEED)


def test_without_the_signer_nothing_is_signed(settings: Any, tmp_path: Path) -> None:
    settings.SIGNER = str(tmp_path / "nobody")
    key = SigningKey(key_id="0" * 16, public_key=bytes(32))
    for use in (keys.current_public, keys.held_public, lambda: keys.sign(key, b"")):
        with pytest.raises(keys.SigningKeyMissing):
            use()

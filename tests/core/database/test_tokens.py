"""Check that a token is known by its digest under a key that the database does not have."""

import hashlib

from django.conf import LazySettings

from core.database.tokens import keyed_digest, token_digest, token_make

RING = ("2", {"1": bytes(32), "2": bytes(range(32))})


def test_tokens_differ_and_name_their_key(settings: LazySettings) -> None:
    settings.TOKEN_KEYS = RING
    tokens = {token_make() for _ in range(20)}
    assert len(tokens) == 20 and {token[0] for token in tokens} == {"2"}
    assert {len(token) for token in tokens} == {44}


def test_the_digest_needs_the_key_and_is_of_one_purpose(settings: LazySettings) -> None:
    settings.TOKEN_KEYS = RING
    token = token_make()
    digest = token_digest(token)
    assert len(digest) == 32 and digest == token_digest(token)
    assert digest not in (hashlib.sha256(token.encode()).digest(), keyed_digest(b"other", token))
    settings.TOKEN_KEYS = ("2", {"2": bytes(32)})
    assert token_digest(token) != digest


def test_a_token_of_an_older_key_is_known_until_the_key_is_gone(settings: LazySettings) -> None:
    settings.TOKEN_KEYS = ("1", {"1": bytes(32)})
    token = token_make()
    digest = token_digest(token)
    settings.TOKEN_KEYS = RING
    assert token_digest(token) == digest
    settings.TOKEN_KEYS = ("2", {"2": bytes(range(32))})
    assert token_digest(token) != digest

"""Carry out an act once for each `Idempotency-Key`, even if the request is repeated.

The first answer is written in the transaction of the act, so that neither exists without the other.
Refusals are not stored: the same key may be tried again. A key belongs to one member of staff.
"""

import hashlib
import json
from collections.abc import Callable, Collection
from typing import Any

from django.db import transaction
from django.http import HttpResponse
from django.utils.crypto import salted_hmac
from rest_framework.request import Request

from core.api.errors import IdempotencyKeyInvalid, IdempotencyKeyReused
from core.api.models import FirstAnswer
from core.database import clock
from core.database.locks import Lock, hold
from core.staff.actor import StaffActor

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replay"
_LENGTHS = range(8, 129)


def key_of(request: Request) -> str | None:
    """Return the request's key, None without one. Raises IdempotencyKeyInvalid."""
    key = request.META.get("HTTP_IDEMPOTENCY_KEY")
    if key is None:
        return None
    if len(key) not in _LENGTHS or not (key.isascii() and key.isprintable()):
        raise IdempotencyKeyInvalid
    return str(key)


def once(
    request: Request,
    *,
    by: StaffActor,
    act: Callable[[], HttpResponse],
    without: Collection[str] = (),
) -> HttpResponse:
    """Run `act` in one transaction, or return its first answer again.

    The answer is kept, so it holds no secret, and members that `without` lists are empty in what is
    kept: names of persons, which are erased one day. Raises IdempotencyKeyReused for other content
    under the same key.
    """
    key = key_of(request)
    with transaction.atomic():
        if key is None:
            return act()
        key_digest = hashlib.sha256(key.encode()).digest()
        digest = _request_digest(request)
        hold((Lock.IDEMPOTENCY, by.user_id ^ int.from_bytes(key_digest[:4], "big")))
        first = FirstAnswer.objects.filter(user_id=by.user_id, key_digest=key_digest).first()
        if first is not None:
            return _replay(first, digest)
        response = act()
        FirstAnswer.objects.create(
            user_id=by.user_id,
            key_digest=key_digest,
            request_digest=digest,
            status=response.status_code,
            body=_kept(response, without),
            answered_at=clock.now(),
        )
        return response


def _kept(response: HttpResponse, without: Collection[str]) -> str:
    """Return the body of an answer, in which the listed members are empty texts at any depth."""
    if not without:
        return response.content.decode()

    def emptied(members: dict[str, Any]) -> dict[str, Any]:
        return {name: "" if name in without else value for name, value in members.items()}

    return json.dumps(json.loads(response.content, object_hook=emptied), ensure_ascii=False)


def _replay(first: FirstAnswer, digest: bytes) -> HttpResponse:
    if bytes(first.request_digest) != digest:
        raise IdempotencyKeyReused
    response = HttpResponse(first.body, content_type="application/json", status=first.status)
    response[REPLAYED] = "true"
    return response


def _request_digest(request: Request) -> bytes:
    body = json.dumps(request.data, sort_keys=True, separators=(",", ":"))
    message = f"{request.method} {request.path}\n{body}"
    return salted_hmac("core.api.idempotency", message, algorithm="sha256").digest()

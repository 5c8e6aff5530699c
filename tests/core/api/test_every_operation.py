"""Call every operation with requests that are broken, hostile or invented, as everybody.

The requests are made from docs/openapi.yaml. Whatever is sent, the answer is what the document
promises, with a body of its schema, never a 500; and what is refused has written nothing.

Three requests are invented for each operation, from a fixed seed; INVENTED=200 invents more, and
INVENTED_SEED takes another seed.
"""

import json
import os
import re
from random import Random
from typing import Any

import pytest
from django.test import Client

from core.admin_support.roles import SELLER, TERMINAL, endpoints
from core.staff.actor import StaffActor
from core.staff.powers import Role
from tests.support.openapi import faults_of
from tests.support.operations.called import Called, fault, operations
from tests.support.operations.inventing import invented
from tests.support.operations.world import World, world
from tests.support.operations.writing import Undoing

INVENTED = int(os.environ.get("INVENTED") or 3)
SEED = int(os.environ.get("INVENTED_SEED") or 13)
BODIES: dict[str, bytes] = {
    "no JSON": b"{",
    "a list": b"[]",
    "unknown": b'{"no_such_field": 1}',
    "not UTF-8": b"\xff",
    "NaN": b'{"a": NaN}',
    "infinite": b'{"a": 1e400}',
    "a null byte": b'{"a": "\\u0000"}',
    "deep": b"[" * 60_000,
    "null": b"null",
    "one name twice": b'{"a": 1, "a": 2}',
    "huge": b" " * 2_000_000,
}
ALWAYS, IN_TURN = tuple(BODIES)[:3], tuple(BODIES)[3:]
MEDIA = ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; x")
HOSTILE: list[Any] = [
    *(None, -1, 2**63, 10**400, 1.5, True, "", "x" * 3_000, "\u202e\ud7ff'--", [], [None]),
    *({"a": 1}, "00000000-0000-0000-0000-000000000000", "9999-12-31"),
]
PATHS = {
    "uuid": ["00000000-0000-0000-0000-000000000007", "no-uuid", "%00"],
    "integer": ["2147483647", "99999999999999999999999", "-1", "%00"],
    "string": ["NO-SUCH", "%00", "x" * 500, "..%2f"],
}
QUERIES = ("\x00", "\u0661", "x" * 5_000, "-1", "1e400", "99999999999999999999")
HEADERS = [
    {"Accept-Language": "xx-\u00e9;q=a," * 50},
    {"Accept": "image/png"},
    {"Idempotency-Key": "short"},
    {"Idempotency-Key": "\u00e9" * 20},
    {"X-Request-Id": "\x1b[31m"},
]
ENDPOINTS = {(endpoint.method, endpoint.path): endpoint for endpoint in endpoints()}
OWNERS = {"operator": SELLER, "terminal": TERMINAL, "staff": "organiser", "nobody": "anyone"}


@pytest.fixture(scope="module")
def state(shared: None) -> tuple[World, Undoing]:
    """The world of all tests here, which are undone one by one."""
    return world(), Undoing()


class Asked:
    """One operation, called again and again; what it answered that it should not have."""

    def __init__(self, called: Called, state: tuple[World, Undoing]) -> None:
        self.called = called
        self.world, self.undoing = state
        self.turn = operations().index(called)
        self.faults: list[str] = []
        self.client = Client(raise_request_exception=False)
        self.caller = OWNERS[called.owner]

    def hostile(self) -> list[str]:
        for parameter in self.called.parameters("path"):
            schema, name = parameter["schema"], parameter["name"]
            for value in [
                *schema.get("enum", ()),
                *PATHS[schema.get("format") or schema["type"]],
            ]:
                self.send(f"{name}={value[:20]}", path={name: value})
        for place, parameter in enumerate(self.called.parameters("query")):
            name = parameter["name"]
            for value in (QUERIES + QUERIES)[(self.turn + place) % 6 :][:3]:
                self.send(f"?{name}={value[:9]!r}", query={name: value})
        headers = HEADERS[self.turn % len(HEADERS)]
        self.send(f"{headers}"[:40], headers=headers)
        if self.called.method != "get":
            self.bodies()
        return self.faults

    def bodies(self) -> None:
        for why in (*ALWAYS, *(IN_TURN + IN_TURN)[self.turn % len(IN_TURN) :][:2]):
            self.send(why, body=BODIES[why])
        media = MEDIA[self.turn % len(MEDIA)]
        self.send(media, body=b"a=1", media=media)
        sample = self.world.body(self.called.sample)
        if not isinstance(sample, dict):
            return
        self.send("an unknown field more", body=sample | {"no_such_field": 1})
        endless = json.dumps(sample | dict.fromkeys(sample, 7)).encode()
        self.send("1e400", body=endless.replace(b": 7", b": 1e400"))
        for value in HOSTILE:
            self.fields(sample, value)

    def fields(self, sample: dict[str, Any], value: Any) -> None:
        """Put a hostile value into each field: at once where the schema refuses it, for then the
        shape does; by itself where the schema allows it, for then the service sees it.
        """
        schema = self.called.content["application/json"]["schema"]
        by_shape = {}
        for field in sample:
            changed = sample | {field: value}
            if faults_of(schema, changed):
                by_shape[field] = value
            else:
                self.send(f"{field}={value!r:.30}", body=changed)
        if by_shape:
            self.send(f"{value!r:.30}", body=sample | by_shape)

    def invent(self, rng: Random) -> list[str]:
        """Send requests that nobody thought of, as callers of every kind."""
        endpoint = ENDPOINTS[self.called.method, self.called.path]
        everybody = [*self.world.callers]
        welcome = [name for name in everybody if endpoint.cell(name)] or everybody
        content = self.called.content.get("application/json", {})
        for number in range(INVENTED if self.called.method != "get" else 1):
            self.caller = rng.choice(welcome if rng.random() < 0.8 else everybody)
            body = invented(content["schema"], rng, dict(self.world.members)) if content else {}
            query = {
                each["name"]: str(invented(each["schema"], rng, {}))
                for each in self.called.parameters("query")
                if rng.random() < 0.3
            }
            self.send(f"#{number} {body!r:.300} {query}", body=body, query=query)
        return self.faults

    def send(self, why: str, *, path: dict[str, str] | None = None, **request: Any) -> None:
        headers = self.world.callers[self.caller] | request.pop("headers", {})
        request.setdefault("body", self.world.body(self.called.sample))
        with self.undoing.request() as wrote:
            response = self.called.send(
                self.client,
                path=self.world.path(self.called) | (path or {}),
                headers=headers,
                **request,
            )
            wrote.looks = response.status_code >= 400
            wrong = fault(self.called, response)
        if wrong or wrote.tables:
            self.faults.append(
                f"{self.called.name} by {self.caller}, {why}: {wrong} wrote {wrote.tables}"
            )


TAGS = sorted({called.tag for called in operations()})


@pytest.mark.parametrize("tag", TAGS)
def test_whatever_is_sent_gets_a_promised_answer(
    tag: str, state: tuple[World, Undoing], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everybody of the staff has every power here, or requests would end at the power."""
    monkeypatch.setattr(StaffActor, "may", lambda self, act: bool(self.roles))
    asked = [Asked(called, state).hostile() for called in operations() if called.tag == tag]
    faults = [fault for faults in asked for fault in faults]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("tag", TAGS)
def test_whatever_is_invented_gets_a_promised_answer(
    tag: str, state: tuple[World, Undoing]
) -> None:
    asked = [
        Asked(called, state).invent(Random(f"{SEED} {called.name}"))
        for called in operations()
        if called.tag == tag
    ]
    faults = [fault for faults in asked for fault in faults]
    assert not faults, f"INVENTED_SEED={SEED}\n" + "\n".join(faults)


def test_options_are_refused_to_every_caller(state: tuple[World, Undoing]) -> None:
    """No operation has OPTIONS: it is refused with the methods there are, and writes nothing."""
    around, undoing = state
    client, faults = Client(raise_request_exception=False), []
    callers = ("anyone", SELLER, Role.ORGANISER.value)
    for turn, path in enumerate(sorted({called.path for called in operations()})):
        url, caller = re.sub(r"\{[^}]*\}", "7", path), callers[turn % 3]
        with undoing.request() as wrote:
            response = client.options(url, headers=around.callers[caller])
            wrote.looks = True
        if response.status_code not in (401, 404, 405) or wrote.tables:
            faults.append(f"{path} by {caller}: {response.status_code} {wrote.tables}")
    assert not faults, "\n".join(faults)

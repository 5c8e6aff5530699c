"""Call every operation without credentials, and with requests that are broken or hostile.

The requests are made from docs/openapi.yaml. Whatever is sent, the answer is what the document
promises, never a 500, and what is refused has written nothing.
"""

import json
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client

from core.staff.actor import StaffActor
from core.staff.models import User
from core.staff.powers import Role
from core.staff.services import session_start
from tests.support import factories
from tests.support.openapi import committed

METHODS = ("get", "post", "put", "patch", "delete")
ANYWHERE = {"not_acceptable", "route_unknown"}  # what docs/api.md says of all operations
Operation = tuple[str, str, dict[str, Any]]
OPERATIONS: list[Operation] = [
    (path, method, operation)
    for path, operations in committed()["paths"].items()
    for method, operation in operations.items()
    if method in METHODS
]
BODIES = {
    "no JSON": b"{",
    "not UTF-8": b"\xff",
    "NaN": b'{"a": NaN}',
    "infinite": b'{"a": 1e400}',
    "a null byte": b'{"a": "\\u0000"}',
    "deep": b"[" * 60_000,
    "a list": b"[]",
    "null": b"null",
    "one name twice": b'{"a": 1, "a": 2}',
    "unknown": b'{"no_such_field": 1}',
}
HOSTILE: list[Any] = [
    None,
    -1,
    2**63,
    10**400,
    1.5,
    True,
    "",
    "x" * 3_000,
    "\u202e\ud7ff'--",
    [],
    [None],
    {"a": 1},
    "00000000-0000-0000-0000-000000000000",
    "9999-12-31",
]
PATHS = {
    "uuid": [str(uuid.UUID(int=7)), "no-uuid", "%00"],
    "integer": ["2147483647", "99999999999999999999999", "-1", "%00"],
    "string": ["NO-SUCH", "%00", "x" * 500, "..%2f"],
}
HEADERS = [
    {"Accept-Language": "xx-\u00e9;q=a," * 50},
    {"Accept": "image/png"},
    {"Idempotency-Key": "short"},
    {"Idempotency-Key": "\u00e9" * 20},
    {"X-Request-Id": "\x1b[31m"},
]


@pytest.fixture
def callers(db: None, monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, str]]:
    """Headers by who calls: everybody's powers, a member of staff with none, a terminal.

    No account holds every role, so whoever has one here has every power.
    """
    monkeypatch.setattr(StaffActor, "may", lambda self, act: bool(self.roles))
    point = factories.point()

    def token(*roles: Role) -> dict[str, str]:
        user = User.objects.get(pk=factories.staff(*roles).user_id)
        return {"Authorization": f"Bearer {session_start(user=user, verified=True)[1]}"}

    terminal = {"Authorization": f"Terminal {point.token}"}
    return {
        "nobody": {},
        "staff": token(Role.ORGANISER),
        "powerless": token(),
        "terminal": terminal,
        "operator": terminal | {"X-Operator-Session": point.session_token},
        "forged": {"Authorization": "Bearer " + "A" * 43},
    }


class Hostile:
    """One operation, called again and again; what it answered that it should not have."""

    def __init__(self, operation: Operation, callers: dict[str, dict[str, str]]) -> None:
        self.path, self.method, self.said = operation
        self.callers = callers
        self.faults: list[str] = []
        self.client = Client(raise_request_exception=False)
        schemes = {name for each in self.said.get("security", []) for name in each}
        self.owner = next((n for n in ("operator", "terminal", "staff") if n in schemes), "nobody")
        content = self.said.get("requestBody", {}).get("content", {})
        self.media = next(iter(content), "")
        examples = content.get("application/json", {}).get("examples", {})
        self.body: Any = next((each["value"] for each in examples.values()), None)

    def run(self) -> list[str]:
        for caller in self.callers:
            if caller != self.owner:
                self.send(caller, by=caller)
        for name in (each["name"] for each in self.parameters("path")):
            self.paths(name)
        for parameter in self.parameters("query"):
            for value in ("\x00", "\u0661", "x" * 5_000, "-1", "1e400", "99999999999999999999"):
                self.send(f"?{parameter['name']}={value[:9]!r}", query={parameter["name"]: value})
        for header in HEADERS:
            self.send(f"{header}"[:40], headers=header)
        if self.method != "get":
            self.bodies()
        return self.faults

    def parameters(self, place: str) -> list[dict[str, Any]]:
        return [each for each in self.said.get("parameters", []) if each["in"] == place]

    def paths(self, name: str) -> None:
        schema = next(e["schema"] for e in self.parameters("path") if e["name"] == name)
        for value in [*schema.get("enum", ()), *PATHS[schema.get("format") or schema["type"]]]:
            self.send(f"{name}={value[:20]}", path={name: value})

    def bodies(self) -> None:
        for why, body in BODIES.items():
            self.send(why, body=body)
        self.send("huge", body=b" " * 2_000_000)
        for media in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; x"):
            self.send(media, body=b"a=1", media=media)
        if not isinstance(self.body, dict):
            return
        self.send("an unknown field more", body=self.body | {"no_such_field": 1})
        for field in self.body:
            for value in HOSTILE:
                self.send(f"{field}={value!r:.30}", body=self.body | {field: value})
            self.send(
                f"{field}=1e400",
                body=json.dumps(self.body | {field: 7}).encode().replace(b": 7", b": 1e400"),
            )

    def send(
        self,
        why: str,
        *,
        by: str = "",
        path: dict[str, str] | None = None,
        body: Any = None,
        media: str = "",
        query: dict[str, str] | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        url = self.path
        for each in self.parameters("path"):
            schema = each["schema"]
            plain = schema.get("enum") or PATHS[schema.get("format") or schema["type"]]
            url = url.replace(f"{{{each['name']}}}", (path or {}).get(each["name"], plain[0]))
        content = self.body if body is None else body
        content = content if isinstance(content, bytes) else json.dumps(content or {}).encode()
        with unwritten() as wrote:
            response = self.client.generic(
                self.method.upper(),
                url,
                b"" if self.method == "get" else content,
                content_type=media or self.media or "application/json",
                headers=self.callers[by or self.owner] | (headers or {}),
                query_params=query,
            )
            wrote.refused = response.status_code >= 400
        fault = self.fault(response, by) or (f"wrote {wrote.tables}" if wrote.tables else "")
        if fault:
            self.faults.append(f"{self.method} {self.path}, {why}: {fault}")

    def fault(self, response: Any, by: str) -> str:
        """Return the fault of an answer, or "": the schema lacks it, or it is no problem
        document.
        """
        status = response.status_code
        if status < 400:
            wrong_caller = by and self.owner != "nobody" and by not in ("powerless", "operator")
            return f"{status} for {by}" if wrong_caller else ""
        if response.headers["Content-Type"] != "application/problem+json":
            return f"{status} {response.content[:100]!r}"
        problem = response.json()
        if status == 500 or problem["status"] != status:
            return f"{status} {problem}"
        promised = self.said["responses"].get(str(status), {}).get("description", "")
        promised_here = problem["code"] in ANYWHERE or f"`{problem['code']}`" in promised
        return "" if promised_here else f"{status} {problem['code']}: unsaid"


class Wrote:
    refused = False
    tables: tuple[str, ...] = ()


@contextmanager
def unwritten() -> Iterator[Wrote]:
    """Undo whatever a request did; which tables it left changed although it was refused."""
    wrote, before = Wrote(), touched()
    with transaction.atomic():
        yield wrote
        suspect = [name for name, rows in touched().items() if rows != before.get(name)]
        left = {name: rows_of(name) for name in suspect if wrote.refused}
        transaction.set_rollback(True)
    wrote.tables = tuple(name for name, rows in left.items() if rows != rows_of(name))


def touched() -> dict[str, int]:
    """Rows written so far in this transaction, also what was undone, by table."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, n_tup_ins + n_tup_upd + n_tup_del FROM pg_stat_xact_user_tables"
            " WHERE n_tup_ins + n_tup_upd + n_tup_del > 0"
        )
        return dict(cursor.fetchall())


def rows_of(table: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*), sum(hashtextextended(t::text, 0)) FROM {table} t")
        return cursor.fetchone()


@pytest.mark.parametrize("tag", sorted({op["tags"][0] for _, _, op in OPERATIONS}))
def test_whatever_is_sent_gets_a_promised_answer(
    tag: str, callers: dict[str, dict[str, str]]
) -> None:
    found = [Hostile(each, callers).run() for each in OPERATIONS if each[2]["tags"][0] == tag]
    faults = [fault for faults in found for fault in faults]
    assert not faults, "\n".join(faults)


def test_options_are_refused_whoever_asks(callers: dict[str, dict[str, str]]) -> None:
    """No operation has OPTIONS: it is refused with the methods there are, and writes nothing."""
    client, faults = Client(raise_request_exception=False), []
    for path in {path for path, _, _ in OPERATIONS}:
        url = re.sub(r"\{[^}]*\}", "7", path)
        for caller in ("nobody", "staff", "operator"):
            with unwritten() as wrote:
                response = client.options(url, headers=callers[caller])
                wrote.refused = True
            if response.status_code not in (401, 404, 405) or wrote.tables:
                faults.append(f"{path} by {caller}: {response.status_code} {wrote.tables}")
    assert not faults, "\n".join(faults)

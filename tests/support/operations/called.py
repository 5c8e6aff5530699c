"""Read the API's operations from the committed document, and make requests for them."""

import dataclasses
import json
import re
from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any

from django.test import Client

from tests.support.openapi import committed

METHODS = ("get", "post", "put", "patch", "delete")
ANYWHERE = frozenset({"not_acceptable", "route_unknown"})
"""Codes that docs/api.md says of all operations."""
UNKNOWN = {
    "uuid": "00000000-0000-0000-0000-000000000007",
    "integer": "2147483647",
    "string": "NO-SUCH",
}
"""A part of a path for which the world has nothing gets these, which name nothing."""
Answer = Any


@dataclasses.dataclass(frozen=True)
class Called:
    """An operation of the document."""

    path: str
    method: str
    operation: Mapping[str, Any]

    @property
    def name(self) -> str:
        return f"{self.method.upper()} {self.path}"

    @property
    def tag(self) -> str:
        return str(self.operation["tags"][0])

    @cached_property
    def owner(self) -> str:
        """Return who may call it: "operator", "terminal", "staff" or "nobody"."""
        schemes = {name for each in self.operation.get("security", []) for name in each}
        return next((n for n in ("operator", "terminal", "staff") if n in schemes), "nobody")

    def parameters(self, place: str) -> list[dict[str, Any]]:
        return [each for each in self.operation.get("parameters", []) if each["in"] == place]

    @cached_property
    def content(self) -> Mapping[str, Any]:
        """Return the kinds of body, by media type."""
        kinds: Mapping[str, Any] = self.operation.get("requestBody", {}).get("content", {})
        return kinds

    @cached_property
    def media(self) -> str:
        return next(iter(self.content), "application/json")

    @cached_property
    def sample(self) -> Any:
        """Return the example of its body, or None."""
        examples = self.content.get("application/json", {}).get("examples", {})
        return next((each["value"] for each in examples.values()), None)

    def url(self, values: Mapping[str, str]) -> str:
        """Return its address with `values` by the name of the part; else one of each list."""
        url = self.path
        for each in self.parameters("path"):
            schema, name = each["schema"], each["name"]
            plain = schema.get("enum", [UNKNOWN[schema.get("format") or schema["type"]]])[0]
            url = url.replace(f"{{{name}}}", values.get(name, plain))
        return url

    def send(
        self,
        client: Client,
        *,
        path: Mapping[str, str],
        headers: Mapping[str, str],
        body: Any = None,
        query: Mapping[str, str] | None = None,
        media: str = "",
    ) -> Answer:
        """Send a request with that body, or with the example."""
        content = self.sample if body is None else body
        if not isinstance(content, bytes):
            content = json.dumps({} if content is None else content).encode()
        return client.generic(
            self.method.upper(),
            self.url(path),
            b"" if self.method == "get" else content,
            content_type=media or self.media,
            headers=dict(headers),
            query_params=dict(query or {}),
        )


@cache
def operations() -> list[Called]:
    """Return the operations of the document, in its order."""
    return [
        Called(path, method, operation)
        for path, by_method in committed()["paths"].items()
        for method, operation in by_method.items()
        if method in METHODS
    ]


@cache
def by_endpoint() -> dict[tuple[str, str], Called]:
    """Return the operations by method and path."""
    return {(called.method, called.path): called for called in operations()}


def code_of(answer: Answer) -> str:
    """Return the code of a problem, or "" for any other answer."""
    if answer.headers.get("Content-Type") != "application/problem+json":
        return ""
    return str(answer.json()["code"])


def fault(called: Called, answer: Answer) -> str:
    """Return the fault of an answer by the document, or ""."""
    status = answer.status_code
    if status >= 500:
        return f"{status} {answer.content[:300]!r}"
    if status >= 400:
        if answer.headers["Content-Type"] != "application/problem+json":
            return f"{status} {answer.content[:100]!r}"
        problem = answer.json()
        promised = called.operation["responses"].get(str(status), {}).get("description", "")
        is_promised = problem["code"] in ANYWHERE or f"`{problem['code']}`" in promised
        return "" if is_promised and problem["status"] == status else f"{status} {problem}: unsaid"
    return _success_fault(called, answer)


def _success_fault(called: Called, answer: Answer) -> str:
    from tests.support.openapi import faults_of

    promised = called.operation["responses"].get(str(answer.status_code))
    if promised is None:
        return f"{answer.status_code}: unsaid"
    content = promised.get("content", {})
    media = answer.headers.get("Content-Type", "").partition(";")[0]
    if not content:
        return f"{answer.status_code} has a body" if answer.content else ""
    if media not in content:
        return f"{answer.status_code} {media}: unsaid"
    if re.fullmatch(r"application/(.*\+)?json", media):
        wrong = faults_of(content[media]["schema"], answer.json())
        return f"{answer.status_code} against the schema: {wrong}" if wrong else ""
    return ""

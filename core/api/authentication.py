"""Read credentials from the headers of a request: a staff token, or a terminal's tokens."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from core.api.errors import CredentialsMissing
from core.premises.access import TerminalCredentials
from core.staff.actor import StaffActor
from core.staff.services import session_actor

STAFF_SCHEME = "Bearer"
TERMINAL_SCHEME = "Terminal"
OPERATOR_HEADER = "X-Operator-Session"
PROOF_HEADER = "X-Terminal-Proof"
_MAX_TOKEN_CHARS = 128


def token_from(meta: dict[str, Any], scheme: str) -> str:
    """Return the token of `Authorization: <scheme> <token>`. Raises CredentialsMissing."""
    given_scheme, _, token = meta.get("HTTP_AUTHORIZATION", "").partition(" ")
    if given_scheme.lower() != scheme.lower() or not 0 < len(token) <= _MAX_TOKEN_CHARS:
        raise CredentialsMissing(scheme=scheme)
    return str(token)


def terminal_credentials(meta: dict[str, Any]) -> TerminalCredentials:
    """Return a terminal's credentials from the headers, without a query. Raises
    CredentialsMissing.
    """
    session = meta.get("HTTP_X_OPERATOR_SESSION", "")[: _MAX_TOKEN_CHARS + 1]
    return TerminalCredentials.of(token_from(meta, TERMINAL_SCHEME), session)


class StaffToken(BaseAuthentication):
    """Set `request.user` to the StaffActor of a live session."""

    def authenticate(self, request: Request) -> tuple[StaffActor, None]:
        return session_actor(token=token_from(request.META, STAFF_SCHEME)), None

    def authenticate_header(self, request: Request) -> str:
        return STAFF_SCHEME


class TerminalToken(BaseAuthentication):
    """Set `request.auth` to the TerminalCredentials. No query is made."""

    def authenticate(self, request: Request) -> tuple[None, TerminalCredentials]:
        return None, terminal_credentials(request.META)

    def authenticate_header(self, request: Request) -> str:
        return TERMINAL_SCHEME


class OperatorToken(TerminalToken):
    """Require a signed-on operator: the same headers, both documented."""


class TerminalProof(TerminalToken):
    """Require a signature by the terminal's key: the same headers, and the proof."""


class _StaffScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = StaffToken
    name = "staff"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "Token of a staff session, from `POST /api/v1/staff/sessions`.",
        }


class _TerminalScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = TerminalToken
    name = "terminal"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "`Terminal <token>`, the token being the answer to the enrolment.",
        }


class _OperatorScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = OperatorToken
    name = "operator"

    def get_security_requirement(self, auto_schema: Any) -> dict[str, list[Any]]:
        return {"terminal": [], "operator": []}

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": OPERATOR_HEADER,
            "description": "Token of the operator's session, from `POST /api/v1/terminal/session`.",
        }


class _ProofScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = TerminalProof
    name = "proof"

    def get_security_requirement(self, auto_schema: Any) -> dict[str, list[Any]]:
        return {"terminal": [], "proof": []}

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": PROOF_HEADER,
            "description": "`<number>.<signature>` by the key of the terminal; see docs/api.md.",
        }

"""Domain errors: what can go wrong, said once, in the language of the games.

Every error a caller can meet is a class with a stable `code`. Its category, one of the seven
classes below, says what kind of answer it deserves; how a category is shown (an HTTP status,
a line on a console) is decided in one place elsewhere.
"""

from typing import Any, ClassVar


class DomainError(Exception):
    """Base of all domain errors.

    `code` is stable and public, `message` an English sentence without secrets, `data` the fields a
    program needs to react. `transient` errors may be retried unchanged.
    """

    code: ClassVar[str] = "error"
    message: ClassVar[str] = "The request could not be carried out."
    transient: ClassVar[bool] = False

    def __init__(self, detail: str | None = None, /, **data: Any) -> None:
        self.detail = detail or self.message
        self.data = data
        super().__init__(self.detail)


class Invalid(DomainError):
    """The request itself is wrong; sending it again will not help."""

    code = "invalid"
    message = "The request is not valid."


class Unauthenticated(DomainError):
    """Nobody, or nobody known, is asking."""

    code = "unauthenticated"
    message = "Authentication is needed."


class Forbidden(DomainError):
    """The caller is known and may not do this."""

    code = "forbidden"
    message = "This act is not allowed to you."


class NotFound(DomainError):
    """What the request names does not exist."""

    code = "not_found"
    message = "There is no such thing."


class Conflict(DomainError):
    """The request is right in itself, but the state of the world refuses it."""

    code = "conflict"
    message = "The present state does not allow this."


class Unavailable(DomainError):
    """A part of the system is out of reach or busy; the same request may succeed later."""

    code = "unavailable"
    message = "The system cannot answer just now."
    transient = True


class InvariantBroken(DomainError):
    """A figure that must hold does not. Nothing is kept; a person must look."""

    code = "invariant_broken"
    message = "A control figure does not agree; nothing was kept."

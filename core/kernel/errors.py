"""Define the base classes of domain errors.

Every error that a caller can get is a class with a stable `code`. It belongs to one of the seven
categories below. Another module decides how a category is shown, for example as an HTTP status.
"""

from typing import Any, ClassVar


class DomainError(Exception):
    """The base class of all domain errors.

    `code` is stable and public. `message` is an English sentence without secrets. `data` has the
    fields that a program needs. A caller may repeat a request that failed with a `transient` error.
    """

    code: ClassVar[str] = "error"
    message: ClassVar[str] = "The request could not be carried out."
    transient: ClassVar[bool] = False

    def __init__(self, detail: str | None = None, /, **data: Any) -> None:
        self.detail = detail or self.message
        self.data = data
        super().__init__(self.detail)


class Invalid(DomainError):
    """The request is wrong. Sending it again will not help."""

    code = "invalid"
    message = "The request is not valid."


class Unauthenticated(DomainError):
    """The caller is not known."""

    code = "unauthenticated"
    message = "Authentication is needed."


class Forbidden(DomainError):
    """The caller is known and may not do this."""

    code = "forbidden"
    message = "This act is not allowed to you."


class NotFound(DomainError):
    """The thing that the request names does not exist."""

    code = "not_found"
    message = "There is no such thing."


class Conflict(DomainError):
    """The request is correct, but the present state does not allow it."""

    code = "conflict"
    message = "The present state does not allow this."


class Unavailable(DomainError):
    """A part of the system is busy or cannot be reached. The same request may succeed later."""

    code = "unavailable"
    message = "The system cannot answer just now."
    transient = True


class InvariantBroken(DomainError):
    """A figure that must hold does not. Nothing is stored, and a person must look into it."""

    code = "invariant_broken"
    message = "A control figure does not agree; nothing was kept."

"""Keep the sessions of browsers in the database, so that a copy of the table opens none of them.

A row is found by a keyed digest of the cookie, and its content is encrypted and bound to that row.
Its times are the database's and not this machine's. What a person may do ends with their staff
session; the row of the browser only holds cookies together.
"""

from base64 import b64decode, b64encode
from datetime import datetime
from typing import Any, Final

from django.conf import settings
from django.contrib.sessions.backends import db
from django.contrib.sessions.base_session import AbstractBaseSession
from django.contrib.sessions.models import Session
from django.contrib.sessions.serializers import JSONSerializer
from django.utils.crypto import get_random_string

from core.database import clock, encryption
from core.database.tokens import keyed_digest

_ROW_KEY_CHARS: Final = 40  # of Django's column
_COOKIE_CHARS: Final = 39


def row_key(cookie: str) -> str:
    """Return the key of the row for the value of a cookie: 160 bits, in hexadecimal."""
    return keyed_digest(b"browser", cookie).hex()[:_ROW_KEY_CHARS]


class SessionStore(db.SessionStore):
    """Django's store of sessions in the database, but with `row_key` in the place of the cookie."""

    def get_expiry_date(self, **kwargs: Any) -> datetime:
        expires_at: datetime = super().get_expiry_date(
            **{"modification": clock.recent()[0]} | kwargs
        )
        return expires_at

    def _get_new_session_key(self) -> str:
        version, _ = settings.TOKEN_KEYS
        while True:
            cookie = str(version) + get_random_string(_COOKIE_CHARS)
            if not self.exists(cookie):
                return cookie

    def _get_session_from_db(self) -> AbstractBaseSession | None:
        cookie = self.session_key
        if cookie is None:
            return None
        sessions = self.model.objects.filter(session_key=row_key(cookie))
        session = sessions.filter(expire_date__gt=clock.recent()[0]).first()
        if session is None:
            self._session_key = None
        return session

    def exists(self, session_key: str) -> bool:
        return bool(self.model.objects.filter(session_key=row_key(session_key)).exists())

    def create_model_instance(self, data: dict[str, Any]) -> AbstractBaseSession:
        row = super().create_model_instance(data)
        row.session_key = row_key(row.session_key)
        return row

    def delete(self, session_key: str | None = None) -> None:
        cookie = session_key or self.session_key
        if cookie is not None:
            self.model.objects.filter(session_key=row_key(cookie)).delete()

    def encode(self, session_dict: dict[str, Any]) -> str:
        content = JSONSerializer().dumps(session_dict)
        return b64encode(encryption.encrypt(self._cell(), content)).decode()

    def decode(self, session_data: bytes | str) -> dict[str, Any]:
        """Return the content of a row; {} if it cannot be read, which signs the person out."""
        try:
            content = encryption.decrypt(self._cell(), b64decode(session_data))
        except (encryption.ContentUnreadable, ValueError):
            return {}
        decoded: dict[str, Any] = JSONSerializer().loads(content)
        return decoded

    def _cell(self) -> encryption.Cell:
        cookie = self._session_key = self.session_key or self._get_new_session_key()
        return encryption.Cell(Session, "session_data", row_key(cookie))

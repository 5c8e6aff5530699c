"""Encrypt the names of persons, each under a key of its own, which can be destroyed.

A row keeps a name as a ciphertext that never changes, and beside it the person's key, which is
encrypted under `DATA_KEYS`. The journal's digests, proposals and copies hold only the ciphertext.
Without its key nobody can read it again, and every digest over it stays right.
"""

import hashlib
import re
import secrets
import unicodedata
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.db import models
from django.db.models import CharField, F, Func, Q, Value
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.database.encryption import Cell, ContentUnreadable, decrypt, encrypt
from core.database.models import Guarded
from core.kernel.days import natural_day
from core.kernel.errors import Invalid

USERNAME = "[a-z0-9][a-z0-9.-]{0,59}"
"""The form of a user name, as a regular expression."""
_NONCE_BYTES = 12
_PADDED_BYTES = 64  # so that the length of a ciphertext does not tell that of the name


class UsernameTellsName(Invalid):
    """A user name may hold no part of the person's name: only that name is erased later."""

    code = "username_tells_name"
    message = "The user name holds a part of the person's name: choose one that does not."


class UsernameMalformed(Invalid):
    """Books, minutes and lists call a person by the user name. No two may be read as one."""

    code = "username_malformed"
    message = (
        "A user name has at most 60 small letters without accents, digits, dots and hyphens, and"
        " begins with a letter or digit."
    )


class EncryptedName(NamedTuple):
    """A name under a key of its own, and that key, encrypted. Both are bytes of a column."""

    ciphertext: bytes
    key: bytes


class Named(Guarded):
    """The base of rows of persons. `name_key` is null once the name is erased, for ever."""

    mutable: ClassVar[tuple[str, ...]] = ("name_key", "name_erased_at")

    name_encrypted = models.BinaryField(max_length=600)
    name_key = models.BinaryField(max_length=100, null=True)
    name_erased_at = models.DateTimeField(_("name erased at"), null=True)

    class Meta:
        abstract = True

    @property
    def alias(self) -> str:
        """Return the alias that stored texts use for the person: it tells no name."""
        raise NotImplementedError

    @property
    def name_and_alias(self) -> str:
        """Return the name, with the alias, for a page: no stored text may hold it."""
        return f"{self.name_read()} ({self.alias})"

    def name_read(self) -> str:
        """Return the name; once it is erased, a text that says so. Raises ContentUnreadable."""
        if self.name_erased_at is not None:
            return gettext("name erased on %(day)s") % {"day": natural_day(self.name_erased_at)}
        if self.name_key is None:
            return ""
        return decrypt_name(
            type(self), EncryptedName(bytes(self.name_encrypted), bytes(self.name_key))
        )

    def name_encrypt(self, name: str) -> None:
        """Put a name into a new row, under a new key."""
        self.name_encrypted, self.name_key = encrypt_name(type(self), name)


def name_constraints(table: str) -> tuple[models.CheckConstraint, ...]:
    """Return the constraints of a table of persons: a name is erased whole, after they left."""
    return (
        models.CheckConstraint(
            condition=Q(name_key__isnull=False, name_erased_at=None)
            | Q(name_key=None, name_erased_at__isnull=False),
            name=f"{table}_name_erased_whole",
        ),
        models.CheckConstraint(
            condition=Q(name_erased_at=None) | Q(is_active=False), name=f"{table}_erased_is_gone"
        ),
    )


def encrypt_name(model: type[Named], name: str) -> EncryptedName:
    """Return a name under a new key, for a row of `model`."""
    key, nonce, raw = secrets.token_bytes(32), secrets.token_bytes(_NONCE_BYTES), name.encode()
    padded = raw.ljust(-(-len(raw) // _PADDED_BYTES) * _PADDED_BYTES, b"\0")
    ciphertext = nonce + AESGCM(key).encrypt(nonce, padded, _place(model))
    return EncryptedName(ciphertext, encrypt(_cell(model, ciphertext), key))


def decrypt_name(model: type[Named], name: EncryptedName) -> str:
    """Return the name that `encrypt_name` was given. Raises ContentUnreadable."""
    key = decrypt(_cell(model, name.ciphertext), name.key)
    nonce, body = name.ciphertext[:_NONCE_BYTES], name.ciphertext[_NONCE_BYTES:]
    try:
        return AESGCM(key).decrypt(nonce, body, _place(model)).rstrip(b"\0").decode()
    except InvalidTag as error:
        raise ContentUnreadable(place=_place(model).decode()) from error


def digest_of(ciphertext: bytes) -> str:
    """Return the SHA-256 of a ciphertext, in hexadecimal: it names the person in the public log."""
    return hashlib.sha256(ciphertext).hexdigest()


def words(name: str) -> list[str]:
    """Return the words of a name in small letters without accents."""
    decomposed = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(sign for sign in decomposed if not unicodedata.combining(sign))
    return re.findall(r"[^\W\d_]+", plain)


def read_as(username: F | Value) -> Func:
    """Return SQL of a user name as it is read: digits that look like a letter are that letter."""
    return Func(username, Value("01"), Value("ol"), function="translate", output_field=CharField())


def username_check(username: str, full_name: str) -> None:
    """Raise UsernameTellsName if a word of the name is in the user name, and UsernameMalformed
    if that has other signs than small letters of English, digits, dots and hyphens.

    Capitals and accents mean nothing, nor do words of less than three letters.
    """
    letters = "".join(words(username))
    if any(len(word) > 2 and word in letters for word in words(full_name)):
        raise UsernameTellsName(username=username)
    if not re.fullmatch(USERNAME, username):
        raise UsernameMalformed(username=username)


def all_names(model: type[Named], **where: Any) -> Iterator[tuple[int, str]]:
    """Yield the key and the name of every row whose name is not erased, decrypted one by one."""
    rows = model._default_manager.filter(name_erased_at=None, **where).order_by("pk")
    for pk, ciphertext, key in rows.values_list("pk", "name_encrypted", "name_key").iterator():
        yield pk, decrypt_name(model, EncryptedName(bytes(ciphertext), bytes(key or b"")))


def with_name(model: type[Named], words: str) -> Q:
    """Return the condition that a row's name contains the words; capitals mean nothing.

    The database cannot compare names, so all of them are read for it.
    """
    folded = words.casefold()
    return Q(pk__in=[pk for pk, name in all_names(model) if folded in name.casefold()])


def _cell(model: type[Named], ciphertext: bytes) -> Cell:
    return Cell(model, "name_key", digest_of(ciphertext))


def _place(model: type[Named]) -> bytes:
    return f"{model._meta.db_table}.name_encrypted".encode()

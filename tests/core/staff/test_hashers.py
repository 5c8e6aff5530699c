"""Tests of the hashes of passwords and PINs."""

from django.conf import LazySettings
from django.contrib.auth.hashers import Argon2PasswordHasher, check_password, make_password

from core.staff.hashers import DemonstrationHasher, KeyedArgon2Hasher


def test_the_demonstration_hashes_with_argon2_at_a_small_cost() -> None:
    hasher = DemonstrationHasher()
    encoded = hasher.encode("a long sentence", hasher.salt())
    assert "$argon2id$" in encoded
    assert "$m=1024,t=1,p=1$" in encoded
    assert hasher.verify("a long sentence", encoded)
    assert not hasher.verify("another sentence", encoded)


def test_a_hash_of_the_demonstration_is_made_anew_at_the_next_sign_on_elsewhere() -> None:
    hasher = DemonstrationHasher()
    encoded = hasher.encode("a long sentence", hasher.salt())
    renewed: list[str] = []
    assert check_password("a long sentence", encoded, renewed.append)
    assert renewed == ["a long sentence"]


def test_a_pin_is_not_found_by_trying_all_of_them_on_its_hash() -> None:
    encoded = make_password("271828")
    in_djangos_form = encoded.replace("keyed_argon2$1$", "argon2$")
    assert encoded != in_djangos_form
    assert not Argon2PasswordHasher().verify("271828", in_djangos_form)


def test_a_key_is_replaced_while_people_sign_on(settings: LazySettings) -> None:
    keys = settings.TOKEN_KEYS[1]
    encoded = make_password("271828")
    settings.TOKEN_KEYS = ("2", keys | {"2": bytes(range(32))})
    renewed: list[str] = []
    assert check_password("271828", encoded, renewed.append) and renewed == ["271828"]
    assert make_password("271828").startswith("keyed_argon2$2$argon2id$")
    settings.TOKEN_KEYS = ("2", {"2": bytes(range(32))})
    assert not check_password("271828", encoded)


def test_it_fits_its_column() -> None:
    hasher = KeyedArgon2Hasher()
    assert len(hasher.encode("a long sentence", hasher.salt())) <= 120

"""Tests of the hashes of passwords and PINs."""

from django.contrib.auth.hashers import check_password

from core.staff.hashers import DemonstrationHasher


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

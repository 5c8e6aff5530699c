"""Tests of the hashes of passwords and PINs."""

from django.contrib.auth.hashers import Argon2PasswordHasher, check_password, make_password

from core.staff.hashers import DemonstrationHasher


def test_without_simulated_time_a_hash_has_djangos_costs() -> None:
    _, variety, _, costs, *_ = make_password("a long sentence").split("$")
    own = Argon2PasswordHasher
    assert variety == "argon2id"
    assert costs == f"m={own.memory_cost},t={own.time_cost},p={own.parallelism}"


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

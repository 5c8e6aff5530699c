"""Hash passwords and PINs at little cost, for tests."""

from core.staff.hashers import KeyedArgon2Hasher


class CheapArgon2PasswordHasher(KeyedArgon2Hasher):
    """Argon2 in 0.1 ms and 8 kB. With the costs that production uses, a hash takes 0.25 s."""

    time_cost = 1
    memory_cost = 8
    parallelism = 1

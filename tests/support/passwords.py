"""Hash passwords and PINs at little cost, for tests."""

from django.contrib.auth.hashers import Argon2PasswordHasher


class CheapArgon2PasswordHasher(Argon2PasswordHasher):
    """Argon2 in 0.1 ms and 8 kB. With the costs that production uses, a hash takes 0.25 s."""

    time_cost = 1
    memory_cost = 8
    parallelism = 1

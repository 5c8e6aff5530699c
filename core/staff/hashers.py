"""Hash passwords and PINs of the demonstration at a small cost."""

from django.contrib.auth.hashers import Argon2PasswordHasher


class DemonstrationHasher(Argon2PasswordHasher):
    """Argon2 with 1 MiB of memory and one pass, for a system on simulated time only.

    The demonstration signs more than a hundred people on within a minute. Production refuses
    simulated time, and hashes with Django's own costs.
    """

    time_cost = 1
    memory_cost = 1024  # KiB
    parallelism = 1

"""What a terminal's own UUID of a request may not be."""

from core.kernel.errors import Conflict


class UuidReused(Conflict):
    code = "uuid_reused"
    message = "That UUID belongs to a request with other content or from another terminal."


class UuidBurnt(Conflict):
    code = "uuid_burnt"
    message = "The terminal has given that UUID up; make a new one."

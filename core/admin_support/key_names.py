"""Name the keys of documents, refusals and proposals for people."""

from core.admin_support.contents import collected


def key_name(key: str) -> str:
    """Return the name of a key in the language in force, or the key itself with spaces."""
    return str(collected("key_names").get(key, key.replace("_", " ")))

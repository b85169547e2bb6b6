"""How error messages name what they were given."""


def describe(value):
    """`value` in an error message: its name where it has one, else its type and a short form."""
    name = getattr(value, "name", None)
    text = name if isinstance(name, str) else repr(value)
    return "%s %s" % (type(value).__name__, text if len(text) <= 80 else text[:77] + "...")

class Refusal(Exception):
    """What is wrong with what was to be installed, in words for whoever packed it."""


def shown(text, most=200):
    """A text out of a wagon for a message: short, and without characters that a terminal would obey."""
    text = str(text)
    return repr(text if len(text) <= most else text[:most] + '...')

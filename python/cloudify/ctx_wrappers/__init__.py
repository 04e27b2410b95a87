"""Modules that let scripts on other machines use `ctx`: plugins copy them there (`ctx-py.py`, as ctx.py)."""

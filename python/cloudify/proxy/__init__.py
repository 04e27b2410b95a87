"""The ctx proxy: lets a script of any language use `ctx` over HTTP (spec/operations.md 3.1)."""

"""The ctx proxy: lets a script of any language use `ctx` over HTTP (docs/reference/operations.md, "The ctx protocol")."""

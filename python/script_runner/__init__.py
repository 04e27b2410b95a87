"""The script plugin (docs/reference/operations.md, "Scripts")."""

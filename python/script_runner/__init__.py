"""The script plugin (spec/operations.md 3)."""

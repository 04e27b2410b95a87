"""The built-in workflows' building blocks (docs/reference/python-workflows.md, "Lifecycle")."""

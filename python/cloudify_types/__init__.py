"""Operations of the built-in service composition types (docs/reference/python.md, "cloudify_types")."""

"""What `cloudify.utils` has, by subject."""

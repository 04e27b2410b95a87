"""What workflow functions import (docs/reference/python-workflows.md)."""
from cloudify.state import workflow_ctx as ctx
from cloudify.state import workflow_parameters as parameters
from cloudify.workflows import workflow_api as api

__all__ = ['api', 'ctx', 'parameters']

"""For the tests of plugins (docs/reference/python.md, "Tests")."""
from cloudify.test_utils.local_workflow_decorator import WorkflowTestDecorator as workflow_test

__all__ = ['workflow_test']

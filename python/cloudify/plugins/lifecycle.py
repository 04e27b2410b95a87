"""Installing and uninstalling sets of instances (docs/reference/workflows.md, "Order").

On a manager the engine builds and runs them as it does its own; in local runs, and where a graph holds more than them,
they are built here."""
from typing import Any, Callable, Iterable, Optional

from cloudify.plugins.subgraphs import (
    ignore_subgraph_on_task_failure, install_node_instance_subgraph, is_host_node, plugins_install_task,
    plugins_uninstall_task, prepare_running_agent, relationship_steps, set_send_node_event_on_error_handler,
    stub_subgraph, uninstall_node_instance_subgraph)
from cloudify.workflows.engine import instead_of_workflow, not_built

__all__ = [
    'LifecycleProcessor', 'execute_establish_relationships', 'execute_unlink_relationships',
    'heal_node_instance_subgraph', 'heal_node_instances', 'ignore_subgraph_on_task_failure',
    'install_node_instance_subgraph', 'install_node_instances', 'is_host_node', 'plugins_install_task',
    'plugins_uninstall_task', 'prepare_running_agent', 'reinstall_node_instance_subgraph', 'reinstall_node_instances',
    'rollback_node_instance_subgraph', 'rollback_node_instances', 'set_send_node_event_on_error_handler',
    'uninstall_node_instance_subgraph', 'uninstall_node_instances', 'update_node_instance_subgraph',
    'update_node_instances',
]


class LifecycleProcessor:
    """Builds a graph for instances, and executes it. `related_nodes` are instances that only give the order."""

    def __init__(self, graph: Any, node_instances: Optional[Iterable[Any]] = None,
                 related_nodes: Optional[Iterable[Any]] = None, modified_relationship_ids: Any = None,
                 ignore_failure: bool = False, name_prefix: str = '') -> None:
        self.graph = graph
        self.node_instances = set(node_instances or ())
        self.intact_nodes = set(related_nodes or ()) - self.node_instances
        self.modified_relationship_ids = modified_relationship_ids
        self.ignore_failure = ignore_failure
        self.name_prefix = name_prefix

    def install(self) -> None:
        self._run('install', self.build_install)

    def uninstall(self) -> None:
        self._run('uninstall', self.build_uninstall)

    def _run(self, lifecycle: str, build: Callable[[], Any]) -> None:
        """A graph that somebody has put more into is built here, to be one with that."""
        engine = self.graph._engine
        if engine is None or self.graph.tasks or self.modified_relationship_ids is not None:
            build()
            self.graph.execute()
            return
        engine.lifecycle(lifecycle, self.name_prefix + lifecycle, self.node_instances, self.intact_nodes,
                         self.ignore_failure)

    def rollback(self) -> None:
        raise _needs('rollback')

    def heal(self) -> None:
        raise _needs('heal')

    def update(self) -> None:
        raise _needs('update')

    def build_install(self) -> Any:
        """{instance: its subgraph}, with every one after those that it is related to."""
        subgraphs = self._subgraphs(
            lambda instance: install_node_instance_subgraph(instance, self.graph), 'establish',
            'Establishing relationships', 'Relationships established')
        for source, target in self._related_pairs(subgraphs):
            self.graph.add_dependency(subgraphs[source], subgraphs[target])
        return subgraphs

    def build_uninstall(self) -> Any:
        """{instance: its subgraph}, with every one before those that it is related to."""
        subgraphs = self._subgraphs(
            lambda instance: uninstall_node_instance_subgraph(instance, self.graph, self.ignore_failure), 'unlink',
            'Unlinking relationships', 'Relationships unlinked')
        for source, target in self._related_pairs(subgraphs):
            self.graph.add_dependency(subgraphs[target], subgraphs[source])
        return subgraphs

    def _subgraphs(self, build, operation, before, after):
        subgraphs = {instance: build(instance) for instance in self.node_instances}
        own = {instance.id for instance in self.node_instances}
        for instance in self.intact_nodes:
            stub = subgraphs[instance] = stub_subgraph(instance, self.graph)
            targets = {one.target_id for one in instance.relationships if one.target_id in own}
            if self.modified_relationship_ids is not None:
                modified = self.modified_relationship_ids.get(instance.node_id) or ()
                targets = {one.target_id for one in instance.relationships
                           if one.target_id in own or one.relationship.target_id in modified}
            stub.sequence().add(*relationship_steps(instance, stub, operation, before, after,
                                                    backwards=operation == 'unlink', targets=targets))
        return subgraphs

    @staticmethod
    def _related_pairs(subgraphs):
        for instance in subgraphs:
            for relationship in instance.relationships:
                if relationship.target_node_instance in subgraphs:
                    yield instance, relationship.target_node_instance


def install_node_instances(graph: Any, node_instances: Iterable[Any], related_nodes: Optional[Iterable[Any]] = None,
                           name_prefix: str = '') -> None:
    LifecycleProcessor(graph, node_instances, related_nodes, name_prefix=name_prefix).install()


def uninstall_node_instances(graph: Any, node_instances: Iterable[Any], ignore_failure: bool = False,
                             related_nodes: Optional[Iterable[Any]] = None, name_prefix: str = '') -> None:
    LifecycleProcessor(graph, node_instances, related_nodes, ignore_failure=ignore_failure,
                       name_prefix=name_prefix).uninstall()


def reinstall_node_instances(graph: Any, node_instances: Iterable[Any], ignore_failure: bool = False,
                             related_nodes: Optional[Iterable[Any]] = None) -> None:
    processor = LifecycleProcessor(graph, node_instances, related_nodes, ignore_failure=ignore_failure,
                                   name_prefix='reinstall-')
    processor.uninstall()
    graph.ctx.refresh_node_instances()
    processor.node_instances = {graph.ctx.get_node_instance(one.id) for one in processor.node_instances}
    processor.intact_nodes = {graph.ctx.get_node_instance(one.id) for one in processor.intact_nodes}
    processor.install()


def heal_node_instances(graph: Any, node_instances: Iterable[Any], related_nodes: Optional[Iterable[Any]] = None,
                        name_prefix: str = '', ignore_failure: bool = False) -> None:
    raise _needs('heal')


def update_node_instances(graph: Any, node_instances: Iterable[Any], related_nodes: Optional[Iterable[Any]] = None,
                          name_prefix: str = '') -> None:
    raise _needs('update')


def rollback_node_instances(graph: Any, node_instances: Iterable[Any],
                            related_nodes: Optional[Iterable[Any]] = None, name_prefix: str = '',
                            ignore_failure: bool = True) -> None:
    raise _needs('rollback')


def execute_establish_relationships(graph: Any, node_instances: Iterable[Any],
                                    related_nodes: Optional[Iterable[Any]] = None,
                                    modified_relationship_ids: Any = None) -> None:
    LifecycleProcessor(graph, related_nodes, node_instances, modified_relationship_ids,
                       name_prefix='establish-').install()


def execute_unlink_relationships(graph: Any, node_instances: Iterable[Any],
                                 related_nodes: Optional[Iterable[Any]] = None,
                                 modified_relationship_ids: Any = None) -> None:
    LifecycleProcessor(graph, related_nodes, node_instances, modified_relationship_ids,
                       name_prefix='unlink-').uninstall()


def reinstall_node_instance_subgraph(instance: Any, graph: Any) -> Any:
    """`reinstall_<id>`: uninstalled, then installed."""
    subgraph = graph.subgraph('reinstall_{0}'.format(instance.id))
    down = uninstall_node_instance_subgraph(instance, subgraph)
    up = install_node_instance_subgraph(instance, subgraph)
    subgraph.add_dependency(up, down)
    return subgraph


def rollback_node_instance_subgraph(instance: Any, graph: Any, ignore_failure: bool = True) -> Any:
    raise _needs('rollback')


def heal_node_instance_subgraph(instance: Any, graph: Any, **kwargs: Any) -> Any:
    raise _needs('heal')


def update_node_instance_subgraph(instance: Any, graph: Any, **kwargs: Any) -> Any:
    raise _needs('update')


def _needs(workflow: str) -> Exception:
    return not_built('{0} out of a Python workflow'.format(workflow.capitalize()), instead_of_workflow(workflow))

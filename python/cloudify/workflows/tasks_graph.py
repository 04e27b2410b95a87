"""Graphs of tasks (docs/reference/python-workflows.md, "Graphs")."""
import queue
import time
from collections import defaultdict
from functools import wraps
from typing import Any, Callable, Dict, Iterable, List, Optional, Set

from cloudify.exceptions import WorkflowFailed
from cloudify.workflows import tasks
from cloudify.workflows import workflow_api as api

POLL_S = 0.1  # how soon a wish to cancel is seen


class TaskDependencyGraph:
    """Owns the order of its tasks. `add_dependency(source, destination)`: source comes after destination."""

    def __init__(self, workflow_context: Any, graph_id: Optional[str] = None,
                 default_subgraph_task_config: Optional[Dict[str, Any]] = None) -> None:
        self.ctx = workflow_context
        self.id = graph_id
        self._default_subgraph_task_config = default_subgraph_task_config or {}
        self._tasks: Dict[str, Any] = {}
        self._dependencies: Dict[str, Set[str]] = defaultdict(set)
        self._dependents: Dict[str, Set[str]] = defaultdict(set)
        self._finished_tasks: Dict[str, Any] = {}
        self._ready: Set[Any] = set()
        self._ended: Any = queue.Queue()
        self._told: Dict[str, Set[str]] = {}  # what the worker knows: tasks, with what they wait for
        self._engine_run: Any = None  # while a worker runs it

    # ---- building

    @property
    def tasks(self) -> List[Any]:
        return list(self._tasks.values())

    def get_task(self, task_id: str) -> Any:
        return self._tasks.get(task_id)

    def add_task(self, task: Any) -> None:
        self._tasks[task.id] = task
        if task.execute_after is None or not self._dependencies[task.id]:
            self._ready.add(task)

    def remove_task(self, task: Any) -> None:
        """Those of a subgraph too."""
        if task.is_subgraph:
            for inner in list(task.tasks.values()):
                self.remove_task(inner)
        if task.containing_subgraph is not None:
            task.containing_subgraph.tasks.pop(task.id, None)
        for other in self._dependencies.pop(task.id, ()):
            self._dependents[other].discard(task.id)
        for other in self._dependents.pop(task.id, ()):
            self._dependencies[other].discard(task.id)
        self._tasks.pop(task.id, None)
        self._ready.discard(task)

    def add_dependency(self, src_task: Any, dst_task: Any) -> None:
        for task in (src_task, dst_task):
            if task.id not in self._tasks:
                raise RuntimeError('{0} is not in the graph'.format(task))
        self._dependencies[src_task.id].add(dst_task.id)
        self._dependents[dst_task.id].add(src_task.id)
        self._ready.discard(src_task)

    def remove_dependency(self, src_task: Any, dst_task: Any) -> None:
        self._dependencies[src_task.id].discard(dst_task.id)
        self._dependents[dst_task.id].discard(src_task.id)
        if not self._dependencies[src_task.id]:
            self._ready.add(src_task)

    def sequence(self) -> 'TaskSequence':
        return TaskSequence(self)

    def subgraph(self, name: str) -> 'SubgraphTask':
        task = SubgraphTask(self, info=name, **self._default_subgraph_task_config)
        self.add_task(task)
        return task

    # ---- looking

    def optimize(self) -> None:
        """Takes out what does nothing; what came after it then comes after what came before it."""
        for task in self.tasks:
            if task.is_nop() or (task.is_subgraph and not task.tasks):
                before = [self._tasks[one] for one in self._dependencies[task.id] if one in self._tasks]
                after = [self._tasks[one] for one in self._dependents[task.id] if one in self._tasks]
                self.remove_task(task)
                for later in after:
                    for earlier in before:
                        self.add_dependency(later, earlier)

    def linearize(self) -> List[Any]:
        """Every task after those that it depends on. Raises RuntimeError for a graph with a circle."""
        remaining = {one: set(self._dependencies[one]) & set(self._tasks) for one in self._tasks}
        ordered = []
        while remaining:
            free = [one for one, others in remaining.items() if not others]
            if not free:
                raise RuntimeError('Tasks wait for each other in a circle: {0}'.format(', '.join(sorted(remaining))))
            for one in free:
                del remaining[one]
                ordered.append(self._tasks[one])
            for others in remaining.values():
                others.difference_update(free)
        return ordered

    # ---- where a worker runs it

    @property
    def _engine(self) -> Any:
        return getattr(getattr(self.ctx, 'internal', None), 'engine', None)

    def _in_order(self) -> List[Any]:
        """Subgraphs before what is in them."""
        ordered: Dict[str, Any] = {}
        for task in self.tasks:
            around = []
            while task is not None and task.id not in ordered:
                around.append(task)
                task = task.containing_subgraph
            ordered.update((one.id, one) for one in reversed(around))
        return list(ordered.values())

    def _changes(self) -> Any:
        """Since the worker was told: new tasks, what others wait for now, and those that are no more."""
        new = [task for task in self._in_order() if task.id not in self._told]
        wired = {}
        for one, told in self._told.items():
            if one in self._tasks and self._dependencies[one] != {other for other in told if other in self._tasks}:
                wired[one] = sorted(self._dependencies[one])
        gone = [one for one in self._told if one not in self._tasks and one not in self._finished_tasks]
        return new, wired, gone

    def _is_described(self, tasks_now: Iterable[Any]) -> None:
        for task in tasks_now:
            self._told[task.id] = set(self._dependencies[task.id])

    def _has_ended(self, task: Any) -> None:
        subgraph = task.containing_subgraph
        if subgraph is not None and task.error is not None and subgraph.failed_task is None:
            subgraph.failed_task = task
        self._finished_tasks[task.id] = task
        for other in self._dependents.pop(task.id, ()):
            self._dependencies[other].discard(task.id)
        self._dependencies.pop(task.id, None)
        self._tasks.pop(task.id, None)
        self._ready.discard(task)
        if subgraph is not None:
            subgraph.tasks.pop(task.id, None)

    def _ran(self) -> None:
        """What is added from now on is another graph."""
        self.id = None
        for task in self.tasks:
            self._finished_tasks[task.id] = task
        for known in (self._tasks, self._dependencies, self._dependents, self._told):
            known.clear()  # type: ignore[attr-defined]
        self._ready.clear()

    # ---- stored

    def store(self, name: str, optimize: bool = True) -> None:
        if optimize:
            self.optimize()
        if self._engine is not None:
            for task in self.tasks:
                task.dump()  # a handler that nobody could find again is an error now, not after a crash
            self.id = self._engine.store(self, name)
            self._is_described(self.tasks)
            for task in self.tasks:
                task.stored = True
            return
        stored = self.ctx.store_tasks_graph(name, operations=[
            dict(task.dump(), dependencies=sorted(self._dependencies[task.id])) for task in self.tasks])
        if stored:
            self.id = stored['id']
            for task in self.tasks:
                task.stored = True

    @classmethod
    def restore(cls, workflow_context: Any, retrieved_graph: Any) -> 'TaskDependencyGraph':
        """What is stored, with what has ended left out."""
        graph = cls(workflow_context, graph_id=retrieved_graph['id'])
        found = retrieved_graph.get('rows')
        if found is None:
            found = workflow_context.get_operations(retrieved_graph['id'])
        rows = {row['id']: row for row in found}
        for row in rows.values():
            task = _kind_of(row['type']).restore(workflow_context, graph, row)
            if task.is_terminated:
                graph._finished_tasks[task.id] = task
            else:
                graph.add_task(task)
        for row in rows.values():
            task = graph.get_task(row['id'])
            if task is None:
                continue
            subgraph = graph.get_task(row['parameters'].get('containing_subgraph'))
            if subgraph is not None:
                subgraph.tasks[task.id] = task
                task.containing_subgraph = subgraph
            for other in row.get('dependencies') or []:
                if graph.get_task(other) is not None:
                    graph.add_dependency(task, graph.get_task(other))
        graph._is_described(graph.tasks)
        return graph

    # ---- running

    def execute(self) -> None:
        """Has the worker run it; in a local run, runs it in this process, where a task for a worker is an error. Raises
        WorkflowFailed for all tasks that failed, and ExecutionCancelled."""
        if self._engine is not None:
            return self._engine.execute(self)
        errors: List[Any] = []
        deadline: Optional[float] = None
        running: Set[str] = set()
        while self._tasks:
            if api.has_cancel_request():
                raise api.ExecutionCancelled()
            if deadline is None or time.time() < deadline:
                for task in self._startable(running):
                    running.add(task.id)
                    self._start(task)
            is_late = deadline is not None and time.time() >= deadline
            if is_late or not (running or self._is_any_due_later()):
                break
            task = self._next_ended()
            if task is None:
                continue
            running.discard(task.id)
            if self._handle_terminated_task(task.async_result, task):
                errors.append(task)
                deadline = deadline or time.time() + getattr(self.ctx, 'wait_after_fail', 600)
        if errors:
            raise WorkflowFailed(_failure_text(errors), hide_traceback=True)
        if self._tasks:
            self.linearize()  # says which tasks wait for each other

    def _startable(self, running: Set[str]) -> List[Any]:
        now = time.time()
        return [task for task in self.tasks
                if task.id not in running and self._is_free(task) and (task.execute_after or 0) <= now]

    def _is_any_due_later(self) -> bool:
        now = time.time()
        return any(self._is_free(task) and (task.execute_after or 0) > now for task in self.tasks)

    def _is_free(self, task: Any) -> bool:
        subgraph = task.containing_subgraph
        return not self._dependencies[task.id] and (
            subgraph is None or subgraph.get_state() == tasks.TASK_STARTED)

    def _start(self, task: Any) -> None:
        self._ready.discard(task)
        task.apply_async()
        task.async_result.on_result(lambda _, ended=task: self._ended.put(ended))

    def _next_ended(self) -> Any:
        try:
            return self._ended.get(timeout=POLL_S)
        except queue.Empty:
            return None

    def _handle_terminated_task(self, result: Any, task: Any) -> bool:
        """Whether the graph fails by it. A task that is tried again is replaced, with all that waits for it."""
        if task.id not in self._tasks:
            return False  # went with its subgraph
        answer = task.handle_task_terminated()
        if answer.action == tasks.HandlerResult.HANDLER_RETRY:
            self._replace(task, answer.retried_task)
            return False
        subgraph = task.containing_subgraph
        failed = answer.action == tasks.HandlerResult.HANDLER_FAIL
        if failed and subgraph is None:
            return True
        if failed:
            subgraph.failed_task = task
            self._finished_tasks[task.id] = task
            subgraph.set_state(tasks.TASK_FAILED, exception=task.error)
            return False
        self._finished_tasks[task.id] = task
        self.remove_task(task)
        if subgraph is not None:
            subgraph.task_terminated(task)
        return False

    def _replace(self, task: Any, new_task: Any) -> None:
        dependents = [self._tasks[one] for one in self._dependents[task.id] if one in self._tasks]
        subgraph = task.containing_subgraph
        if new_task.id not in self._tasks:
            self.add_task(new_task)
        for dependent in dependents:
            self.add_dependency(dependent, new_task)
        if subgraph is not None:
            subgraph.task_terminated(task, new_task)
        self.remove_task(task)


class TaskSequence:
    """Each one after the one before."""

    def __init__(self, graph: Any) -> None:
        self.graph = graph
        self.last_fork_join_tasks: Optional[List[Any]] = None

    def add(self, *added: Any) -> None:
        """Tasks, and `forkjoin`s of tasks."""
        for one in added:
            together = list(one.tasks) if isinstance(one, forkjoin) else [one]
            for task in together:
                self.graph.add_task(task)
                for earlier in self.last_fork_join_tasks or []:
                    self.graph.add_dependency(task, earlier)
            if together:
                self.last_fork_join_tasks = together


class forkjoin:
    """Tasks of a sequence that run at once."""

    def __init__(self, *joined: Any) -> None:
        self.tasks = joined


class SubgraphTask(tasks.WorkflowTask):
    """Tasks that are one task for the others: it begins before the first and ends after the last."""

    def __init__(self, graph: Any, workflow_context: Any = None, task_id: Optional[str] = None,
                 total_retries: int = tasks.DEFAULT_SUBGRAPH_TOTAL_RETRIES, **options: Any) -> None:
        options.setdefault('on_failure', fail_subgraph)
        super().__init__(workflow_context or graph.ctx, task_id, total_retries=total_retries, **options)
        self.graph = graph
        self.tasks: Dict[str, Any] = {}
        self.failed_task: Any = None

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.info or ''

    @property
    def cloudify_context(self) -> Dict[str, Any]:
        return {}

    @property
    def is_subgraph(self) -> bool:
        return True

    def sequence(self) -> TaskSequence:
        return TaskSequence(self)

    def subgraph(self, name: str) -> 'SubgraphTask':
        task = SubgraphTask(self.graph, info=name, **self.graph._default_subgraph_task_config)
        self.add_task(task)
        return task

    def add_task(self, task: Any) -> None:
        if task.containing_subgraph is not None and task.containing_subgraph is not self:
            raise RuntimeError('{0} is in subgraph {1} already, so it cannot be in {2}'.format(
                task, task.containing_subgraph.name, self.name))
        self.graph.add_task(task)
        self.tasks[task.id] = task
        task.containing_subgraph = self

    def remove_task(self, task: Any) -> None:
        self.graph.remove_task(task)

    def add_dependency(self, src_task: Any, dst_task: Any) -> None:
        self.graph.add_dependency(src_task, dst_task)

    def remove_dependency(self, src_task: Any, dst_task: Any) -> None:
        self.graph.remove_dependency(src_task, dst_task)

    def apply_async(self) -> tasks.WorkflowTaskResult:
        self.set_state(tasks.TASK_STARTED)
        if not self.tasks:
            self.set_state(tasks.TASK_SUCCEEDED)
        return self.async_result

    def task_terminated(self, task: Any, new_task: Any = None) -> None:
        """One of its tasks has ended; `new_task` takes its place."""
        self.tasks.pop(task.id, None)
        if new_task is not None:
            self.tasks[new_task.id] = new_task
            new_task.containing_subgraph = self
        if not self.tasks and not self.is_terminated:
            self.set_state(tasks.TASK_SUCCEEDED)

    def _duplicate(self) -> tasks.WorkflowTask:
        raise NotImplementedError('A subgraph is tried again by its on_failure handler, which builds it anew')

    def _dump(self, serialized: Callable[[Any], Any]) -> Dict[str, Any]:
        stored = super()._dump(serialized)
        if self.on_failure is fail_subgraph:
            stored['parameters']['on_failure'] = None  # what happens without being asked
        return stored

    @classmethod
    def _restored(cls, ctx: Any, graph: Any, task_descr: Any, task_kwargs: Dict[str, Any]) -> 'SubgraphTask':
        return cls(graph, ctx, task_descr['id'])


def fail_subgraph(task: Any) -> tasks.HandlerResult:
    """A subgraph fails by its first task that does."""
    return tasks.HandlerResult.fail()


def make_or_get_graph(f: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator of a function that builds a graph: the caller passes `name=` too, and an execution that is resumed
    gets the stored graph of that name instead of a new one."""
    @wraps(f)
    def wrapper(*args, **kwargs):
        from cloudify.state import workflow_ctx
        ctx = args[0] if args else workflow_ctx._get_current_object()
        name = kwargs.pop('name')
        if getattr(ctx, 'dry_run', False):
            return f(*args, **kwargs)
        engine = getattr(getattr(ctx, 'internal', None), 'engine', None)
        stored = ctx.get_tasks_graph(name) if engine is None else engine.stored(name)
        if stored:
            return TaskDependencyGraph.restore(ctx, stored)
        graph = f(*args, **kwargs)
        graph.store(name=name)
        return graph
    return wrapper


def _kind_of(name: str) -> Any:
    if name == 'SubgraphTask':
        return SubgraphTask
    if '.' in name:
        from cloudify.utils import get_func
        return get_func(name)
    return getattr(tasks, name)


def _failure_text(failed: Iterable[Any]) -> str:
    lines = ['Task failed: {0}: {1} `{2}`'.format(
        _culprit(task).short_description, type(_culprit(task).error).__name__, _culprit(task).error)
        for task in failed]
    return lines[0] if len(lines) == 1 else '\n'.join(['{0} operation errors:'.format(len(lines))] + lines)


def _culprit(task: Any) -> Any:
    """Of a subgraph the task that it failed by."""
    while task.is_subgraph and task.failed_task is not None:
        task = task.failed_task
    return task

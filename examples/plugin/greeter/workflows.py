from cloudify.decorators import workflow

OPERATION = 'cloudify.interfaces.relationship_lifecycle.establish'


@workflow(resumable=True)
def greet_again(ctx, **_):
    """Every instance greets again whom it greets."""
    graph = ctx.graph_mode()
    for instance in ctx.node_instances:
        for relationship in instance.relationships:
            if OPERATION in relationship.relationship.source_operations:
                graph.add_task(relationship.execute_source_operation(OPERATION))
    return graph.execute()

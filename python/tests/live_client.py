"""Against a running manager (`TUTTI_PORT`, `TUTTI_PASSWORD`): every method of the client, and what people do with it.
Prints what went otherwise than it should, a line for each."""
import io
import json
import os
import sys
import tarfile
import tempfile
import zipfile

from cloudify_rest_client import CloudifyClient
from cloudify_rest_client.exceptions import CloudifyClientError, PluginInUseError
from tests.test_client_methods import Methods, found, inspect, lines

BLUEPRINT = '''
tosca_definitions_version: cloudify_dsl_1_4
imports: [cloudify/types/types.yaml]
node_templates: { one: { type: cloudify.nodes.Root, properties: {} } }
outputs: { here: { value: 1 } }
'''
# Without an end, or not requests.
LEFT_OUT = ('auditlog.stream', 'auditlog.async_client', 'resources.sync_deployment_workdir', 'blueprints.calc_size')
# No route answers these (client-routes.test.ts says why).
NO_ROUTE = ('executions.should_start', 'inter_deployment_dependencies.legacy_restore', 'deployment_updates.bulk_insert',
            'log_bundles.upload_archive', 'resources.')


def every_method(client):
    samples = Methods('check')
    samples.setUp()
    for line in lines():
        if line.name in LEFT_OUT:
            continue
        kind = line.name.rpartition('.')[2]
        given = {one.name: samples.sample(one.name, kind if kind == 'get_file' else one.default)
                 for one in line.parameters if one.default is inspect.Parameter.empty}
        if line.name == 'executions.start':
            given = {'deployment_id': 'd', 'workflow_id': 'w'}
        try:
            found(client, line.name)(**given)
        except CloudifyClientError as error:
            is_refused = error.error_code and error.status_code not in (405, 500)
            if not is_refused and not line.name.startswith(NO_ROUTE):
                yield '{0}: {1!r}'.format(line.name, str(error))
        except Exception as error:
            yield '{0}: {1!r}'.format(line.name, error)
        if line.name == 'maintenance_mode.activate':
            client.maintenance_mode.deactivate()
    samples.doCleanups()


def a_days_work(client):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'blueprint.yaml')
        with open(path, 'w') as file:
            file.write(BLUEPRINT)
        told = []
        blueprint = client.blueprints.upload(path, 'live', labels=[{'kind': 'test'}], progress_callback=lambda *so_far:
                                             told.append(so_far))
        yield blueprint.state == 'uploaded' and told[-1][0] == told[-1][1] > 0
        yield client.blueprints.validate(path, 'other') is None
        yield os.path.getsize(client.blueprints.download('live', folder)) > 0
        yield client.blueprints.upload(path, 'later', async_upload=True) is None
        client.blueprints.upload(path, 'older', legacy=True, labels=[{'a': 'b'}])
        yield [label['key'] for label in client.blueprints.get('older').labels] == ['a']
    deployment = client.deployments.create('live', 'live-d', labels=[{'env': 'prod'}])
    yield (deployment.id, deployment.blueprint_id) == ('live-d', 'live')
    yield 'install' in [workflow.name for workflow in client.deployments.get('live-d').workflows]
    yield client.deployments.outputs.get('live-d').outputs == {'here': 1}
    yield client.deployments.list(filter_rules=[{
        'key': 'env', 'values': ['prod'], 'operator': 'any_of', 'type': 'label'}]).one().id == 'live-d'
    yield list(client.deployments_labels.list_key_values('env')) == ['prod']
    execution = client.executions.start('live-d', 'install', wait_after_fail=1)
    while execution.status not in execution.END_STATES:
        execution = client.executions.get(execution.id)
    yield execution.status == 'terminated'
    events, total = client.events.get(execution.id, include_logs=True)
    yield len(events) == total > 2
    instance = client.node_instances.list(deployment_id='live-d').one()
    yield client.nodes.get('live-d', 'one', evaluate_functions=True).type == 'cloudify.nodes.Root'
    yield client.nodes.get('live-d', 'none') is None
    changed = client.node_instances.update(instance.id, runtime_properties={'a': 1}, version=instance.version)
    yield changed.runtime_properties == {'a': 1} and changed.version > instance.version
    try:
        client.node_instances.update(instance.id, runtime_properties={'a': 2}, version=1)
        yield False
    except CloudifyClientError as error:
        yield error.status_code == 409
    yield client.node_instances.search([instance.id]).one().id == instance.id
    yield client.summary.node_instances.get('deployment_id', deployment_id='live-d').one()['node_instances'] == 1
    page = client.executions.list(deployment_id='live-d', _size=1, sort='created_at', is_descending=True)
    yield page.one().workflow_id == 'install' and page.metadata.pagination.total == 2
    group = client.deployment_groups.put('g', blueprint_id='live', new_deployments=[{'id': 'in-g'}])
    yield group.deployment_ids == ['in-g']
    yield len(client.deployment_groups.add_deployments('g', count=3, batch_size=2).deployment_ids) == 4
    client.secrets.create('key', 'value')
    client.secrets.update('key', value='new')
    yield client.secrets.get('key').value == 'new' and client.secrets.list(key='key').one().key == 'key'
    client.sites.create('s', location='1.0,2.0')
    yield client.sites.update('s', new_name='t').name == 't'
    client.deployments.set_site('live-d', 't')
    yield client.deployments.get('live-d').site_name == 't'
    token = client.tokens.create('for tests', '+1h')
    yield len(CloudifyClient('127.0.0.1', client._client.port, token=token.value, tenant='default_tenant').sites.list()) == 1
    yield client.manager.get_version()['edition'] in ('premium', 'community')
    client.manager.create_context('provider', {'cloudify': {}})
    yield client.manager.get_context()['context'] == {'cloudify': {}}
    client.manager.update_context('provider', {'cloudify': {'a': 1}})
    yield client.manager.get_context()['context'] == {'cloudify': {'a': 1}}
    yield client.manager.get_config('max_workers', 'mgmtworker').value > 0
    yield len(client.auditlog.list(get_all=True, size=7)) > 7
    client.tenants.create('other')
    client.users.create('somebody', 'a-password-1', 'default')
    client.tenants.add_user('somebody', 'other', 'user')
    yield client.tenants.get('other', _get_data=True).direct_users == {'somebody': 'user'}
    client.tenants.remove_user('somebody', 'other')
    client.users.delete('somebody')
    client.tenants.delete('other')
    client.deployments_filters.create('f', [{'key': 'a', 'values': ['b'], 'operator': 'any_of', 'type': 'label'}])
    yield client.deployments_filters.update('f', new_visibility='global').visibility == 'global'
    yield len(client.deployments.list(filter_id='f')) == 0
    client.deployments_filters.delete('f')
    yield client.executions.delete(keep_last=1) >= 0


def a_wagon(name, version):
    wheel = '{0}-{1}-py3-none-any.whl'.format(name.replace('-', '_'), version)
    metadata = {'package_name': name, 'package_version': version, 'archive_name': wheel[:-4] + '.wgn', 'wheels': [wheel],
                'supported_platform': 'any', 'supported_python_versions': ['py311']}
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode='w:gz') as tar:
        for path, content in (('package.json', json.dumps(metadata).encode()), ('wheels/' + wheel, b'wheel')):
            entry = tarfile.TarInfo(name + '/' + path)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return metadata['archive_name'], written.getvalue()


def a_day_with_plugins(client):
    yaml = 'plugins: {p: {executor: central_deployment_agent, package_name: live-plugin, package_version: "1.0"}}\n'
    with tempfile.TemporaryDirectory() as folder:
        name, wagon = a_wagon('live-plugin', '1.0')
        path = os.path.join(folder, 'plugin.zip')
        with zipfile.ZipFile(path, 'w') as archive:
            archive.writestr(name, wagon)
            archive.writestr('plugin.yaml', yaml)
        told = []
        plugin = client.plugins.upload(path, 'Live', progress_callback=lambda *so_far: told.append(so_far))
        yield (plugin.title, plugin.package_version, plugin.wheels) == ('Live', '1.0', [name[:-4] + '.whl'])
        yield told[-1][0] == told[-1][1] > 0
        yield client.plugins.list(package_name='live-plugin', sort='uploaded_at').one().id == plugin.id
        with open(client.plugins.download(plugin.id, os.path.join(folder, 'a.wgn')), 'rb') as file:
            yield file.read() == wagon
        full = client.plugins.download(plugin.id, os.path.join(folder, 'full.zip'), full_archive=True)
        with zipfile.ZipFile(full) as archive:
            yield archive.testzip() is None and sorted(archive.namelist()) == sorted([name, 'plugin.yaml'])
        yield client.plugins.get_yaml(plugin.id) == client.plugins.get_yaml(plugin.id, '1_5') == yaml
        yield len(client.plugins.list_yaml_files(plugin.id)) == 1
        yield client.plugins.list_yaml_files(plugin.id, 'cloudify_dsl_1_4') == []
        blueprint = os.path.join(folder, 'blueprint.yaml')
        with open(blueprint, 'w') as file:
            file.write(BLUEPRINT.replace('types.yaml]', "types.yaml, 'plugin:live-plugin?version=>=1']").replace(
                'properties: {}', 'interfaces: {cloudify.interfaces.lifecycle: {create: p.tasks.create}}'))
        yield client.blueprints.upload(blueprint, 'with-plugin').state == 'uploaded'
        states = client.plugins.install(plugin.id).installation_state
        # A worker may have begun already.
        yield [one['manager'] for one in states] == ['test']
        changed = client.plugins.set_state(plugin.id, 'installed', manager_name='test')
        yield len(changed.installation_state) == 1
        yield client.plugins.update(plugin.id, labels={'a': ['b']}).labels == {'a': ['b']}
        yield client.plugins.set_visibility(plugin.id, 'global')['visibility'] == 'global'
        try:
            client.plugins.delete(plugin.id)
            yield False
        except PluginInUseError as error:
            yield error.status_code == 405
        yield client.plugins.delete(plugin.id, force=True) is None
        yield client.plugins.upload(full, _plugin_id=plugin.id, _uploaded_at='2020-01-02T03:04:05.678Z',
                                    _created_by='admin').uploaded_at == '2020-01-02T03:04:05.678Z'
        client.plugins.delete(plugin.id, force=True)
        client.blueprints.delete('with-plugin')


if __name__ == '__main__':
    client = CloudifyClient('127.0.0.1', int(os.environ['TUTTI_PORT']), username='admin',
                            password=os.environ['TUTTI_PASSWORD'], tenant='default_tenant')
    for number, is_so in enumerate(a_days_work(client), 1):
        if not is_so:
            print('step {0} of a_days_work is not so'.format(number))
    for number, is_so in enumerate(a_day_with_plugins(client), 1):
        if not is_so:
            print('step {0} of a_day_with_plugins is not so'.format(number))
    for fault in every_method(client):
        print(fault)
    print('over', file=sys.stderr)

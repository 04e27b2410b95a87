"""Words of GET /cluster-status."""


class ServiceStatus:
    HEALTHY = 'OK'
    FAIL = 'Fail'
    DEGRADED = 'Degraded'


class NodeServiceStatus:
    ACTIVE = 'Active'
    INACTIVE = 'Inactive'


class CloudifyNodeType:
    DB = 'db'
    BROKER = 'broker'
    MANAGER = 'manager'

    TYPE_LIST = [DB, BROKER, MANAGER]

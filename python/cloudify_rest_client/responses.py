"""What the client returns: plain dicts and lists, readable by attribute as scripts are used to."""


class Item(dict):
    """A resource: `instance['state']` and `instance.state`. A field that is missing reads as None."""

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return self.get(name)


class ListResponse:
    """A page of resources: a sequence in `items`, paging facts in `metadata`."""

    def __init__(self, items, metadata=None):
        self.items = [Item(one) if isinstance(one, dict) else one for one in items]
        self.metadata = Item(metadata or {})

    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]

    def one(self):
        if len(self.items) != 1:
            raise ValueError('Called one() on a list with {0} items'.format(len(self.items)))
        return self.items[0]


def read(body):
    if isinstance(body, dict) and isinstance(body.get('items'), list):
        return ListResponse(body['items'], body.get('metadata'))
    if isinstance(body, list):
        return ListResponse(body)
    if isinstance(body, dict):
        return Item(body)
    return body

from __future__ import annotations

from typing import Any

from cloudify_rest_client.responses import Item, optional
from cloudify_rest_client.sends import ResourceClient, sends


class LdapResponse(Item):
    ldap_server = ldap_username = ldap_domain = ldap_is_active_directory = ldap_dn_extra = ldap_ca_path = optional()
    ldap_base_dn = ldap_group_dn = ldap_bind_format = ldap_user_filter = ldap_group_member_filter = optional()
    ldap_attribute_email = ldap_attribute_first_name = ldap_attribute_last_name = ldap_attribute_uid = optional()
    ldap_attribute_group_membership = optional()


class LdapClient(ResourceClient):
    def set(self, ldap_server: str, ldap_username: str | None = None, ldap_password: str | None = None,
            ldap_is_active_directory: bool = False, ldap_domain: str = '', ldap_dn_extra: str = '',
            ldap_base_dn: str | None = None, ldap_group_dn: str | None = None, ldap_bind_format: str | None = None,
            ldap_user_filter: str | None = None, ldap_group_member_filter: str | None = None,
            ldap_attribute_email: str | None = None, ldap_attribute_first_name: str | None = None,
            ldap_attribute_last_name: str | None = None, ldap_attribute_uid: str | None = None,
            ldap_attribute_group_membership: str | None = None, ldap_nested_levels: int | None = None,
            ldap_ca_path: str = '') -> LdapResponse:
        """`ldap_ca_path`: a file on this machine, the certificates to trust; the manager gets what is in it."""
        certificate = None
        if ldap_ca_path:
            with open(ldap_ca_path, encoding='utf-8') as file:
                certificate = file.read()
        return self._set(
            ldap_server, ldap_username, ldap_password, ldap_is_active_directory, ldap_domain, ldap_dn_extra,
            ldap_base_dn, ldap_group_dn, ldap_bind_format, ldap_user_filter, ldap_group_member_filter,
            ldap_attribute_email, ldap_attribute_first_name, ldap_attribute_last_name, ldap_attribute_uid,
            ldap_attribute_group_membership, ldap_nested_levels, certificate)

    @sends('GET /ldap')
    def get_status(self) -> Any: ...

    @sends('POST /ldap')
    def _set(self, ldap_server: str, ldap_username: str | None, ldap_password: str | None,
             ldap_is_active_directory: bool, ldap_domain: str, ldap_dn_extra: str, ldap_base_dn: str | None,
             ldap_group_dn: str | None, ldap_bind_format: str | None, ldap_user_filter: str | None,
             ldap_group_member_filter: str | None, ldap_attribute_email: str | None,
             ldap_attribute_first_name: str | None, ldap_attribute_last_name: str | None,
             ldap_attribute_uid: str | None, ldap_attribute_group_membership: str | None,
             ldap_nested_levels: int | None, ldap_ca_cert: str | None = None) -> LdapResponse: ...

import { type Static, Type } from 'typebox'
import { Nullable, Shape } from './common.ts'

const text = Type.Optional(Nullable(Type.String({ maxLength: 4096 })))

/** What `POST /ldap` takes (docs/ldap.md); what is left out, null or empty has a default. */
export const ldapFields = {
  /** `ldap://`, `ldaps://` or `ldap+starttls://`, with a host and perhaps a port. */
  ldap_server: Type.String({ maxLength: 4096 }),
  ldap_domain: Type.String({ maxLength: 255 }),
  ldap_username: text,
  ldap_password: text,
  ldap_is_active_directory: Type.Optional(Nullable(Type.Boolean())),
  ldap_dn_extra: text,
  ldap_ca_cert: Type.Optional(Nullable(Type.String({ maxLength: 1_000_000 }))),
  ldap_nested_levels: Type.Optional(
    Type.Union([
      Type.Integer({ minimum: 1, maximum: 100 }),
      Type.String({ pattern: '^([1-9]\\d?|100)?$' }),
      Type.Null(),
    ]),
  ),
  ldap_bind_format: text,
  ldap_group_dn: text,
  ldap_base_dn: text,
  ldap_group_member_filter: text,
  ldap_user_filter: text,
  ldap_attribute_email: text,
  ldap_attribute_first_name: text,
  ldap_attribute_last_name: text,
  ldap_attribute_uid: text,
  ldap_attribute_group_membership: text,
} as const

const given = Nullable(Type.String())

/** The settings as they were given; the password is never shown. */
export const LdapSettings = Shape('LdapSettings', {
  ldap_server: Type.String(),
  ldap_domain: Type.String(),
  ldap_username: given,
  ldap_is_active_directory: Type.Boolean(),
  ldap_dn_extra: given,
  ldap_ca_cert: given,
  ldap_nested_levels: Type.Integer(),
  ldap_bind_format: given,
  ldap_group_dn: given,
  ldap_base_dn: given,
  ldap_group_member_filter: given,
  ldap_user_filter: given,
  ldap_attribute_email: given,
  ldap_attribute_first_name: given,
  ldap_attribute_last_name: given,
  ldap_attribute_uid: given,
  ldap_attribute_group_membership: given,
})
export type LdapSettings = Static<typeof LdapSettings>

import { ApiError } from '@tutti/api'
import { binaryTag, CORE_SCHEMA, load, YAMLException } from 'js-yaml'
import { apiVersionNumber } from '../version.ts'

/** What a license file says (docs/reference/cluster-and-configuration.md, "License"). */
export type LicenseFile = {
  readonly customerId: string
  readonly expirationDate: Date | null
  readonly edition: string | null
  readonly isTrial: boolean
  readonly version: string | null
  readonly capabilities: readonly string[]
}

/** The signature is RSA-2048. Its key is the vendor's, so that its form is all that can be checked here. */
const signatureBytes = 256

/**
 * Reads a license file.
 *
 * @throws invalid_yaml_format for what is no YAML, unverified_cloudify_license for what is no license of this version
 */
export function parseLicenseFile(text: string, now: Date): LicenseFile {
  const file = asObject(parseYaml(text))
  const license = asObject(file?.license)
  if (file === undefined || license === undefined) throw unverified('it has no license section')
  const { signature } = file
  if (!(signature instanceof Uint8Array) || signature.length !== signatureBytes) {
    throw unverified('its signature is missing or not a signature')
  }
  const { customer_id, trial, license_edition, cloudify_version, capabilities, expiration_date } = license
  if (typeof customer_id !== 'string' || customer_id === '') throw unverified('it names no customer_id')
  if (typeof trial !== 'boolean') throw unverified('trial is not true or false')
  const version = cloudify_version == null ? null : String(cloudify_version)
  if (version !== null && isBefore(version, apiVersionNumber)) {
    throw new ApiError(
      'unverified_cloudify_license',
      `The license is for versions up to ${version} only; this manager speaks version ${apiVersionNumber}`,
    )
  }
  return {
    customerId: customer_id,
    expirationDate: parseExpiration(expiration_date, now),
    edition: typeof license_edition === 'string' ? license_edition : null,
    isTrial: trial,
    version,
    capabilities: Array.isArray(capabilities) ? capabilities.map(String) : [],
  }
}

function parseYaml(text: string): unknown {
  try {
    return load(text, { schema: CORE_SCHEMA.withTags(binaryTag), maxDepth: 20 })
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    throw new ApiError('invalid_yaml_format', `The license is not valid YAML: ${error.reason}`)
  }
}

/** `MM/DD/YYYY`, an ISO date, `60 days` from now, or null for never. */
function parseExpiration(given: unknown, now: Date): Date | null {
  if (given == null) return null
  const text = given instanceof Date ? given.toISOString() : String(given).trim()
  const days = /^(\d{1,5}) days?$/.exec(text)
  if (days !== null) return new Date(now.getTime() + Number(days[1]) * 24 * 60 * 60_000)
  const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text) ?? []
  const date = new Date(year === undefined ? text : `${year}-${pad(month)}-${pad(day)}T00:00:00Z`)
  if (Number.isNaN(date.getTime())) throw unverified(`its expiration_date ${text} is no date`)
  return date
}

const pad = (text: string | undefined) => (text ?? '').padStart(2, '0')

function isBefore(version: string, other: string): boolean {
  const [left, right] = [version, other].map((one) => one.split('.').map((part) => Number.parseInt(part, 10)))
  for (let at = 0; at < Math.max(left?.length ?? 0, right?.length ?? 0); at += 1) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return false
}

function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined
}

const unverified = (why: string) =>
  new ApiError('unverified_cloudify_license', `This license could not be verified: ${why}`)

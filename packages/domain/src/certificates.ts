import { X509Certificate } from 'node:crypto'
import { badParameter } from '@tutti/api'

/** @throws bad_parameters_error for what is not one or more certificates in PEM form */
export function checkCertificates(field: string, pem: string): void {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    for (const block of blocks) new X509Certificate(block)
    // What is set may be shown again, so a key does not slip in with its certificate.
    if (blocks.length > 0 && !pem.includes('PRIVATE KEY')) return
  } catch {
    // Said below: which byte of it is wrong helps nobody.
  }
  throw badParameter(`${field} must be one or more certificates in PEM form, and nothing else`)
}

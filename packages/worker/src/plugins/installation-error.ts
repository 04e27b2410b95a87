import { withoutCredentials } from '@tutti/storage'

/**
 * A plugin that an operation needs is not to be had on this worker. Retried as what may be mended meanwhile: somebody
 * uploads another wagon, or installs pip.
 */
export class PluginInstallationError extends Error {
  override readonly name = 'PluginInstallationError'

  /** Addresses of sources and of pip's indexes are shown without what they hold of passwords. */
  constructor(message: string, options?: ErrorOptions) {
    super(withoutCredentials(message), options)
  }
}

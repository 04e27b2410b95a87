/**
 * A plugin that an operation needs is not to be had on this worker. Retried as what may be mended meanwhile: somebody
 * uploads another wagon, or installs pip.
 */
export class PluginInstallationError extends Error {
  override readonly name = 'PluginInstallationError'
}

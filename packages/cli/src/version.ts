import manifest from '../package.json' with { type: 'json' }

/** Tutti's own version; the one that clients of the API are told is the API's. */
export const version: string = manifest.version

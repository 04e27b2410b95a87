import { ApiError } from '@tutti/api'

/** A provider as errors name it. Its connection parameters are for few, so errors say no more of them than addresses. */
export type Named = { readonly name: string | undefined; readonly type: string }

const nameOf = ({ name, type }: Named) =>
  name === undefined ? `The secrets provider of type ${type}` : `The secrets provider ${name} (${type})`

/** It answers, but not with a value: it refuses, has none, or is described wrongly. */
export const providerError = (provider: Named, why: string, hint?: string): ApiError =>
  new ApiError('secrets_provider_error', `${nameOf(provider)} ${why}`, hint === undefined ? {} : { hint })

/** It cannot be asked now. */
export const providerAway = (provider: Named, why: string): ApiError =>
  new ApiError('secrets_provider_unavailable_error', `${nameOf(provider)} cannot be asked: ${why}`, {
    hint: 'Look whether it runs and can be reached from the manager: tutti secrets-providers test',
  })

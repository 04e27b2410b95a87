import { inTransaction } from '@tutti/domain'
import {
  changeSecret,
  exportSecrets,
  getSecret,
  importSecrets,
  listSecrets,
  putSecret,
  removeSecret,
  setSecretVisibility,
  showWritten,
} from '@tutti/domain/secrets'
import { askingManager } from '@tutti/domain/secrets-providers'
import type { Handlers } from '../../request.ts'

/** docs/reference/secrets.md, "Writing" */
export const secretHandlers = {
  'secrets.list': (request) => listSecrets(request, request.list),

  'secrets.get': (request) =>
    getSecret(request, request.params.secret_key, {
      include: request.include,
      skipsValue: request.options._skip_value ?? false,
      isForManager: request.raw.headers[askingManager] !== undefined,
    }),

  'secrets.create': (request) =>
    inTransaction(request, async (actor, transaction) => {
      await putSecret(actor, transaction, request.params.secret_key, request.body)
      return showWritten(actor, request.params.secret_key, request.include)
    }),

  async 'secrets.update'(request) {
    await inTransaction(request, (actor, transaction) =>
      changeSecret(actor, transaction, request.params.secret_key, request.body),
    )
    return showWritten(request, request.params.secret_key, request.include)
  },

  'secrets.delete': (request) =>
    inTransaction(request, (actor, transaction) =>
      removeSecret(actor, transaction, request.params.secret_key),
    ),

  async 'secrets.setVisibility'(request) {
    await inTransaction(request, (actor, transaction) =>
      setSecretVisibility(actor, transaction, request.params.secret_key, request.body.visibility),
    )
    return showWritten(request, request.params.secret_key, request.include)
  },

  async 'secrets.setGlobal'(request) {
    await inTransaction(request, (actor, transaction) =>
      setSecretVisibility(actor, transaction, request.params.secret_key, 'global'),
    )
    return showWritten(request, request.params.secret_key, request.include)
  },

  'secrets.export': (request) => exportSecrets(request, request.options, request.include, request.reading),

  'secrets.import': (request) => importSecrets(request, request.body),
} satisfies Partial<Handlers>

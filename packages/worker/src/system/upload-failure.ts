import { withoutCredentials } from '@tutti/storage'

/** What the author of a blueprint did wrong, with the state that it leaves the blueprint in. */
export class UploadFailure extends Error {
  override readonly name = 'UploadFailure'
  readonly state: string

  constructor(state: string, message: string) {
    super(withoutCredentials(message))
    this.state = state
  }
}

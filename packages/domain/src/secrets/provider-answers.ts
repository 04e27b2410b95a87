/** Asks a secrets provider, and gives the secret's text. */
export type AskProvider = () => Promise<string>

/**
 * A secret that is kept elsewhere, in a transaction: the same text for the same key as long as the transaction runs.
 *
 * @throws what the provider refused with
 */
export type ProviderAnswers = (key: string, ask: AskProvider) => string

import type { Json } from '../src/index.ts'

/** One line of the corpus, as its README describes it. */
export type CorpusCase = ParseCase | DeployCase

export type ParseCase = {
  readonly id: string
  readonly kind: 'parse' | 'tree'
  readonly name?: string
  readonly text: string
  readonly location?: string
  readonly base?: string
  readonly files?: readonly string[]
  readonly imports: { readonly [address: string]: string }
  readonly options?: {
    readonly validate_version: boolean
    readonly validate_intrinsic_function: boolean
    readonly validate_input_defaults: boolean
  }
  readonly expect: { readonly plan?: Json; readonly error?: ExpectedError }
}

export type DeployCase = {
  readonly id: string
  readonly kind: 'deploy'
  readonly parse_case: string | null
  readonly plan?: Json
  readonly inputs: { readonly [name: string]: Json } | null
  readonly runtime_only_evaluation: boolean
  readonly auto_correct_types: boolean
  readonly has_secret_getter: boolean
  readonly expect: { readonly deployment_plan?: Json; readonly error?: ExpectedError }
}

export type ExpectedError = {
  readonly class: string
  readonly code?: number
  readonly message?: string
}

export * from './archives/index.ts'
export * from './embedded/index.ts'
export * from './unpack/index.ts'

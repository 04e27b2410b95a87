export * from './archives/index.ts'
export * from './embedded/index.ts'

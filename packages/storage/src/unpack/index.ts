export { type ArchiveFormat, archiveFormat } from './archive-format.ts'
export type { UnpackLimits } from './limits.ts'
export { type UnpackedArchive, type UnpackOptions, unpackArchive } from './unpack-archive.ts'
export { UnpackError, type UnpackErrorCode } from './unpack-error.ts'

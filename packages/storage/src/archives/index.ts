export { deleteUnreferencedArchives } from './delete-unreferenced.ts'
export { type ArchiveContent, readArchive } from './read-archive.ts'
export { ArchiveTooLarge } from './spool.ts'
export { type StoredArchive, writeArchive } from './write-archive.ts'

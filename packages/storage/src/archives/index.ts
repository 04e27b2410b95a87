export { deleteUnreferencedArchives } from './delete-unreferenced.ts'
export { type ArchiveContent, readArchive } from './read-archive.ts'
export { ArchiveTooLarge, hashFile } from './spool.ts'
export { type StoredArchive, writeArchive, writeArchiveFile } from './write-archive.ts'

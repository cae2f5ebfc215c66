/** Session logs: in memory, in SQLite for one process, in PostgreSQL for many. All implement core's `Store` port. */
export {
  createStateSource,
  type OwnedStateSource,
  type StateSourceOptions,
} from './checkpoints/state-source.ts'
export { type ExportHeader, exportSession } from './export-session.ts'
export { type ImportOptions, type ImportResult, importSession } from './import-session.ts'
export { createMemoryRecords } from './memory/memory-records.ts'
export { createMemoryStore, type MemoryStoreOptions } from './memory/memory-store.ts'
export { describeDatabase } from './postgres/describe-database.ts'
export { examinePostgres } from './postgres/examine-postgres.ts'
export { renewPostgresLineage } from './postgres/lineage.ts'
export { openPostgresStore, type PostgresStoreOptions } from './postgres/open-postgres-store.ts'
export { openPostgresFiles, type PostgresFilesOptions } from './postgres/postgres-files.ts'
export { openPostgresRecords } from './postgres/postgres-records.ts'
export { createPrivateFile, makePrivateDirectory, openPrivateFile, tighten } from './private-files.ts'
export { examineSqlite } from './sqlite/examine-sqlite.ts'
export { type FolderFilesOptions, openFolderFiles } from './sqlite/folder-files.ts'
export { renewSqliteLineage } from './sqlite/lineage.ts'
export { openSqliteStore, type SqliteStoreOptions } from './sqlite/open-sqlite-store.ts'
export { openSqliteRecords, sqliteVersion } from './sqlite/sqlite-records.ts'
export { StoreLockedError, type StoreOpenCode, StoreOpenError } from './store-errors.ts'
export { MOST_COUNTED, type StoreSummary } from './store-summary.ts'

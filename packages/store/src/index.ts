/** Session logs: in memory, and in SQLite for one process. Both implement core's `Store` port. */
export { type ExportHeader, exportSession } from './export-session.ts'
export { type Imported, type ImportOptions, importSession } from './import-session.ts'
export { createMemoryStore, type MemoryStoreOptions } from './memory/memory-store.ts'
export { openSqliteStore, type SqliteStoreOptions } from './sqlite/open-sqlite-store.ts'
export { StoreLockedError, type StoreOpenCode, StoreOpenError } from './store-errors.ts'

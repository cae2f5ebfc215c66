/** Copies a template into a new folder. Everything is checked before the first file is written. */
import {
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sourcesOf, type TemplateName } from './templates.ts'
import { UsageError } from './usage-error.ts'

export interface ProjectRequest {
  /** Name of a folder in `cwd`, or `.` for `cwd` itself. */
  readonly folder: string
  readonly template: TemplateName
  readonly cwd: string
}

export interface Project {
  readonly name: string
  readonly path: string
  readonly isHere: boolean
}

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))
/** A package name without a scope that is also a plain folder name everywhere. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,62}(?:\.[a-z0-9_-]{1,30})*$/
const TAKEN = /^(?:node_modules|favicon\.ico|con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/

/** Throws UsageError for a name or folder that cannot be used, Error when the folder cannot be written. */
export function createProject({ folder, template, cwd }: ProjectRequest): Project {
  const isHere = folder === '.'
  const name = isHere ? basename(cwd).toLowerCase() : folder
  if (!NAME.test(name) || TAKEN.test(name))
    throw new UsageError(
      `${JSON.stringify(name.slice(0, 80))} cannot name a project: use lower-case letters, digits, "-", "_" and ".".`,
    )
  const path = isHere ? cwd : join(cwd, folder)
  const isNew = checkFolder(path, name)
  try {
    // Not `recursive`: where a file system takes no folders, such as /proc, that never returns.
    if (isNew) mkdirSync(path)
    fill(path, name, template)
  } catch (error) {
    // A half-written project would be refused as not empty the next time.
    for (const entry of isNew ? ['.'] : listFolder(path)) remove(join(path, entry))
    throw new Error(`The project cannot be written to ${path}: ${reasonOf(error)}.`)
  }
  return { name, path, isHere }
}

/** Returns whether the folder is still to be made. A link could lead out of the current folder. */
function checkFolder(path: string, name: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return true
  if (!stats.isDirectory()) throw new UsageError(`${name} is there already, and is no folder.`)
  if (listFolder(path).length > 0) throw new UsageError(`The folder ${name} is not empty.`)
  return false
}

/** An empty repository is an empty folder. */
function listFolder(path: string): readonly string[] {
  try {
    return readdirSync(path).filter(entry => entry !== '.git')
  } catch (error) {
    throw new UsageError(`The folder ${path} cannot be read: ${reasonOf(error)}.`)
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // What could not be written may not be removable either; the first error says why.
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

function fill(path: string, name: string, template: TemplateName): void {
  for (const source of sourcesOf(template))
    cpSync(join(PACKAGE, 'templates', source), path, { recursive: true })
  // npm leaves a file of the real name out of packages.
  renameSync(join(path, 'gitignore'), join(path, '.gitignore'))
  for (const file of ['README.md', 'AGENTS.md'])
    writeFileSync(join(path, file), readFileSync(join(path, file), 'utf8').replaceAll('PROJECT', name))
  const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Record<string, unknown>
  writeFileSync(
    join(path, 'package.json'),
    `${JSON.stringify(withVersions({ ...manifest, name }), null, 2)}\n`,
  )
}

/** All packages of Toolwire have one version, which is that of this one. */
function withVersions(manifest: Readonly<Record<string, unknown>>): object {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as {
    readonly version: string
  }
  const pinned = (needed: unknown): object =>
    Object.fromEntries(
      Object.entries((needed ?? {}) as Readonly<Record<string, string>>).map(([name, range]) => [
        name,
        range === 'TOOLWIRE' ? `^${version}` : range,
      ]),
    )
  return {
    ...manifest,
    dependencies: pinned(manifest['dependencies']),
    devDependencies: pinned(manifest['devDependencies']),
  }
}

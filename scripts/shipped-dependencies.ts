/** Dependencies shipped with the packages and inside the web app: all but development ones. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './root.ts'

export interface Shipped {
  readonly name: string
  readonly version: string
  /** SPDX; empty if the package declares none. */
  readonly licence: string
  /** Its folder below the checkout. */
  readonly folder: string
}

interface Entry {
  readonly version?: string
  readonly license?: string
  readonly link?: boolean
  readonly resolved?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

export type Lock = { readonly packages: Readonly<Record<string, Entry>> }

export const readLock = (): Lock => JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))

/** Of these workspaces, sorted by name and version; for every platform. */
export function shippedWith(lock: Lock, workspaces: readonly string[]): readonly Shipped[] {
  const found = new Map<string, Shipped>()
  const seen = new Set<string>()
  const visit = (folder: string): void => {
    if (seen.has(folder)) return
    seen.add(folder)
    const entry = lock.packages[folder]
    if (!entry) return
    if (folder.includes('node_modules/')) found.set(folder, toShipped(folder, entry))
    for (const name of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) {
      const at = locate(lock, folder, name)
      if (at !== undefined) visit(at)
    }
  }
  for (const workspace of workspaces) visit(workspace)
  const unique = new Map([...found.values()].map(one => [`${one.name} ${one.version}`, one]))
  return [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
}

/** All workspaces whose work reaches users. */
export const publishedWorkspaces = (lock: Lock): readonly string[] =>
  Object.keys(lock.packages).filter(folder => /^(packages|apps)\/[^/]+$/.test(folder))

/** As Node looks for it: in the nearest `node_modules`, then further up; a link is followed. */
function locate(lock: Lock, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const key = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    const entry = lock.packages[key]
    if (entry) return entry.link ? entry.resolved : key
    if (folder === '') return undefined
  }
}

function toShipped(folder: string, { version = '', license }: Entry): Shipped {
  const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)
  return { name, version, licence: license ?? installedLicence(folder), folder }
}

function installedLicence(folder: string): string {
  const path = join(ROOT, folder, 'package.json')
  if (!existsSync(path)) return ''
  const { license } = JSON.parse(readFileSync(path, 'utf8')) as { readonly license?: unknown }
  return typeof license === 'string' ? license : ''
}

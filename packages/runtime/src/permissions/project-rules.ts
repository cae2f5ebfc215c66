/**
 * Rules that outlive a session: the settings file of a workspace, `.toolwire/settings.json`. A
 * checked-out project may forbid and ask by it, but never allow: an allowance counts only when it
 * was given here, which a list outside of the workspace remembers.
 */
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { loadRules, parseRule, type Rule } from './rules.ts'

export interface ProjectRules {
  /** The rules that count in this workspace. A file that cannot be read leaves the last good ones. Never throws. */
  readonly of: (workspace: string) => Promise<readonly Rule[]>
  /** Adds an allowance, until a moment or for good. Idempotent. Throws when the file is malformed or cannot be written. */
  readonly allow: (workspace: string, rule: string, expires_at?: string) => Promise<void>
  /** Takes an allowance back. Idempotent. Throws like `allow`. */
  readonly revoke: (workspace: string, rule: string) => Promise<void>
}

const entries = z.array(z.union([z.string(), z.looseObject({ rule: z.string() })])).optional()
const Settings = z.looseObject({
  permissions: z.looseObject({ allow: entries, ask: entries, deny: entries }).optional(),
})
type Settings = z.output<typeof Settings>
type Entry = NonNullable<z.output<typeof entries>>[number]
/** An entry that expires is an object in both files; this list decides when, whatever the settings say. */
const Trusted = z.record(
  z.string(),
  z.array(z.union([z.string(), z.object({ rule: z.string(), expires_at: z.string() })])),
)

export const settingsPath = (workspace: string): string => join(workspace, '.toolwire', 'settings.json')

/** `trusted` is the file that remembers which allowances were given here. */
export function createProjectRules(trusted: string): ProjectRules {
  const read = new Map<string, { readonly version: string; readonly rules: readonly Rule[] }>()
  let turn: Promise<void> = Promise.resolve()

  async function load(workspace: string): Promise<readonly Rule[]> {
    const { permissions = {} } = Settings.parse(await readJson(settingsPath(workspace)))
    const { allow = [], ask, deny } = permissions
    const given = new Map(
      (Trusted.parse(await readJson(trusted))[workspace] ?? []).map(entry => [textOf(entry), untilOf(entry)]),
    )
    const known = allow
      .filter(entry => given.has(textOf(entry)))
      .map(entry => ({ ...toObject(entry), ...(given.get(textOf(entry)) ?? {}) }))
    const set = { allow: known, ...(ask ? { ask } : {}), ...(deny ? { deny } : {}) }
    return loadRules(set, 'project', workspace)
  }

  async function of(workspace: string): Promise<readonly Rule[]> {
    const before = read.get(workspace)
    const version = `${await versionOf(settingsPath(workspace))} ${await versionOf(trusted)}`
    if (before?.version === version) return before.rules
    const rules = await load(workspace).catch(() => before?.rules ?? [])
    read.set(workspace, { version, rules })
    return rules
  }

  /** One change at a time: each reads what the one before it wrote. */
  async function change(workspace: string, rule: string, added: readonly Given[]): Promise<void> {
    const mine = turn.then(async () => {
      const path = settingsPath(workspace)
      const settings: Settings = Settings.parse(await readJson(path))
      const given = Trusted.parse(await readJson(trusted))
      const allow = settings.permissions?.allow ?? []
      const others = [
        ...allow.filter(isOwn),
        ...allow.filter(entry => !isOwn(entry) && textOf(entry) !== rule),
      ]
      const permissions = { ...settings.permissions, allow: [...others, ...added] }
      const before = (given[workspace] ?? []).filter(entry => textOf(entry) !== rule)
      await writeJson(trusted, { ...given, [workspace]: [...before, ...added] })
      await writeJson(path, { ...settings, permissions })
      read.delete(workspace)
    })
    turn = mine.catch(() => {})
    await mine
  }

  return {
    of,
    async allow(workspace, rule, expires_at) {
      const { text } = parseRule(rule, 'allow', 'project')
      await change(workspace, text, [expires_at === undefined ? text : { rule: text, expires_at }])
    },
    revoke: (workspace, rule) => change(workspace, rule, []),
  }
}

type Given = z.output<typeof Trusted>[string][number]

const toObject = (entry: Entry): Exclude<Entry, string> =>
  typeof entry === 'string' ? { rule: entry } : entry
const textOf = (entry: Entry): string => toObject(entry).rule
const untilOf = (entry: Given): { readonly expires_at?: string } =>
  typeof entry === 'string' ? {} : { expires_at: entry.expires_at }

/** Written by a person, with examples or a message: never changed here. */
const isOwn = (entry: Entry): boolean => typeof entry !== 'string' && !('expires_at' in entry)

async function versionOf(path: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(path)
    return `${mtimeMs}:${size}:${ino}`
  } catch {
    return ''
  }
}

/** An absent file is an empty object. */
async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as unknown
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw error
  }
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const draft = `${path}.${process.pid}.tmp`
  await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`)
  await rename(draft, path)
}

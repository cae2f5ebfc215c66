/**
 * Rules that outlive a session: the settings file of a workspace, `.toolwire/settings.json`. A checked-out project
 * may deny and ask by it, but never allow: an allowance applies only if it was given here, which a list outside of
 * the workspace records. Rules in that list can be revoked here; the rest of the file belongs to its author.
 */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { readWhole } from '../safe-files/open-file.ts'
import { putFile } from '../safe-files/put-file.ts'
import { canonicalPath, isInside } from '../safe-files/real-path.ts'
import { loadRules, parseRule, type Rule, type RuleDecision } from './rules.ts'

interface ProjectRule {
  readonly rule: string
  readonly decision: RuleDecision
  /** Applies until then; permanent if absent. */
  readonly expires_at?: string
}

export interface ProjectRules {
  /** The rules that count in this workspace. A file that cannot be read leaves the last good ones. Never throws. */
  readonly of: (workspace: string) => Promise<readonly Rule[]>
  /**
   * Sets a rule, in place of one with the same text that was set here. What a person wrote into the file stays.
   * Idempotent. Throws when the text is no rule, and when the file is malformed or cannot be written.
   */
  readonly set: (workspace: string, wish: ProjectRule) => Promise<void>
  /** Takes back what was set here. Idempotent. Throws like `set`. */
  readonly revoke: (workspace: string, rule: string) => Promise<void>
}

const entries = z.array(z.union([z.string(), z.looseObject({ rule: z.string() })])).optional()
const Settings = z.looseObject({
  permissions: z.looseObject({ allow: entries, ask: entries, deny: entries }).optional(),
})
type Settings = z.output<typeof Settings>
type RuleEntry = NonNullable<z.output<typeof entries>>[number]
/**
 * Rules set here, by workspace. A plain text is a permanent allowance. An expiring entry is an object in both
 * files; for an allowance this list decides the time, whatever the settings say.
 */
const Trusted = z.record(
  z.string(),
  z.array(
    z.union([
      z.string(),
      z.object({
        rule: z.string(),
        decision: z.enum(['allow', 'ask', 'deny']).optional(),
        expires_at: z.string().optional(),
      }),
    ]),
  ),
)
const DECISIONS: readonly RuleDecision[] = ['allow', 'ask', 'deny']

export const settingsPath = (workspace: string): string => join(workspace, '.toolwire', 'settings.json')

/** The settings path of a workspace, after following links. Throws if a link of the project leads outside. */
function ownSettings(workspace: string): string {
  const path = canonicalPath(settingsPath(workspace))
  if (isInside(path, canonicalPath(workspace))) return path
  throw new Error(`${settingsPath(workspace)} leads out of the workspace.`)
}

/** `trusted` is the file that remembers which allowances were given here. */
export function createProjectRules(trusted: string): ProjectRules {
  const read = new Map<string, { readonly version: string; readonly rules: readonly Rule[] }>()
  let turn: Promise<void> = Promise.resolve()

  async function load(workspace: string): Promise<readonly Rule[]> {
    const { permissions = {} } = Settings.parse(await readJson(ownSettings(workspace)))
    const { allow = [], ask, deny } = permissions
    const given = new Map(
      (Trusted.parse(await readJson(canonicalPath(trusted)))[workspace] ?? []).map(entry => [
        textOf(entry),
        entry,
      ]),
    )
    const known = allow.flatMap(entry => {
      const own = given.get(textOf(entry))
      return own !== undefined && decisionOf(own) === 'allow' ? [{ ...toObject(entry), ...untilOf(own) }] : []
    })
    const set = { allow: known, ...(ask ? { ask } : {}), ...(deny ? { deny } : {}) }
    return loadRules(set, 'project', workspace).map(rule => {
      const own = given.get(rule.text)
      return own !== undefined && decisionOf(own) === rule.decision ? { ...rule, set_here: true } : rule
    })
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
  async function change(workspace: string, rule: string, wish?: ProjectRule): Promise<void> {
    const mine = turn.then(async () => {
      const path = ownSettings(workspace)
      const settings: Settings = Settings.parse(await readJson(path))
      const given = Trusted.parse(await readJson(canonicalPath(trusted)))
      const before = given[workspace] ?? []
      const cleared = withoutRule(settings.permissions ?? {}, rule, before.find(isOf(rule)))
      const isThere = wish !== undefined && (cleared[wish.decision] ?? []).some(isPlain(rule))
      const added = wish === undefined || isThere ? [] : [wish]
      const permissions = added.reduce(withRule, cleared)
      const others = before.filter(entry => textOf(entry) !== rule)
      await writeJson(canonicalPath(trusted), { ...given, [workspace]: [...others, ...added.map(toGiven)] })
      await writeJson(path, { ...settings, permissions })
      read.delete(workspace)
    })
    turn = mine.catch(() => {})
    await mine
  }

  return {
    of,
    async set(workspace, wish) {
      const { text } = parseRule(wish.rule, wish.decision, 'project')
      await change(workspace, text, { ...wish, rule: text })
    },
    revoke: (workspace, rule) => change(workspace, rule),
  }
}

type Lists = NonNullable<Settings['permissions']>

/**
 * Removes the rule where it was set here. Allowances of the file that were not set here never applied, so none is
 * lost.
 */
function withoutRule(lists: Lists, rule: string, given: StoredRule | undefined): Lists {
  const left = DECISIONS.flatMap(decision => {
    const entries = lists[decision]
    if (decision !== 'allow' && (given === undefined || decisionOf(given) !== decision)) return []
    return entries === undefined ? [] : [[decision, entries.filter(entry => !isPlain(rule)(entry))] as const]
  })
  return { ...lists, ...Object.fromEntries(left) }
}

const withRule = (lists: Lists, wish: ProjectRule): Lists => ({
  ...lists,
  [wish.decision]: [...(lists[wish.decision] ?? []), toEntry(wish)],
})

const toEntry = ({ rule, expires_at }: ProjectRule): RuleEntry =>
  expires_at === undefined ? rule : { rule, expires_at }
const toGiven = ({ rule, decision, expires_at }: ProjectRule): StoredRule => {
  const until = expires_at === undefined ? {} : { expires_at }
  if (decision !== 'allow') return { rule, decision, ...until }
  return expires_at === undefined ? rule : { rule, ...until }
}

type StoredRule = z.output<typeof Trusted>[string][number]

const toObject = (entry: RuleEntry): Exclude<RuleEntry, string> =>
  typeof entry === 'string' ? { rule: entry } : entry
const textOf = (entry: RuleEntry | StoredRule): string => (typeof entry === 'string' ? entry : entry.rule)
const decisionOf = (entry: StoredRule): RuleDecision =>
  typeof entry === 'string' ? 'allow' : (entry.decision ?? 'allow')
const untilOf = (entry: StoredRule): { readonly expires_at?: string } =>
  typeof entry === 'string' || entry.expires_at === undefined ? {} : { expires_at: entry.expires_at }
const isOf =
  (rule: string) =>
  (entry: StoredRule): boolean =>
    textOf(entry) === rule

/** Written by a person, with examples or a message: never changed here. */
const isOwn = (entry: RuleEntry): boolean => typeof entry !== 'string' && !('expires_at' in entry)
const isPlain =
  (rule: string) =>
  (entry: RuleEntry): boolean =>
    !isOwn(entry) && textOf(entry) === rule

async function versionOf(path: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(path)
    return `${mtimeMs}:${size}:${ino}`
  } catch {
    return ''
  }
}

/** `path` is canonical. An absent file is an empty object. What is wrong in a file is not repeated: it may be a secret. */
async function readJson(path: string): Promise<unknown> {
  const bytes = await readWhole(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw error
  })
  try {
    return JSON.parse(bytes.toString()) as unknown
  } catch {
    throw new Error(`${path} is not valid JSON.`)
  }
}

const writeJson = (path: string, value: unknown): Promise<void> =>
  putFile(path, `${JSON.stringify(value, null, 2)}\n`)

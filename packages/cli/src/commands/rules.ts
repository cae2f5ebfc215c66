/**
 * `toolwire rules …`: the permission rules of a workspace that outlive sessions. Works beside a running server,
 * which reads them before the next call; rules of a session are removed in the web app or by the API.
 */
import { randomUUID } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { markLine } from '@toolwire/core/parts'
import { addAudit, DEFAULT_OWNER } from '@toolwire/server'
import { createProjectRules, type ProjectRules } from '@toolwire/tools'
import type { Command } from 'commander'
import { table } from '../chat/table.ts'
import type { Config } from '../config.ts'
import { readDataConfig } from '../data-config.ts'
import { ExitError } from '../exit.ts'
import { openRecords } from '../open-records.ts'
import { print, toJson } from '../terminal.ts'

type Flags = Readonly<Record<string, string | boolean | undefined>>

export function addRulesCommand(program: Command): void {
  const rules = program
    .command('rules')
    .description(
      'permission rules of a workspace: Tool, Tool(content), or @kind before it for one kind of agent',
    )
  const add = (name: string, description: string): Command =>
    rules
      .command(name)
      .description(description)
      .option('--data <folder>', 'data folder of the server that the rules are for')
      .option('--workspace <folder>', 'folder that tools work in (default that of the server)')
      .option('--config <file>', 'configuration file')
  add('list', 'list the rules that count in new sessions')
    .alias('ls')
    .option('--json', 'print them as JSON')
    .action((flags: Flags) => withRules(flags, place => list(place, flags['json'] === true)))
  add('add <rule>', 'allow something from now on, or have it asked about or denied')
    .option('--decision <decision>', 'allow, ask or deny', 'allow')
    .option('--expires <hours>', 'hours until it ends (default never)')
    .action((rule: string, flags: Flags) => withRules(flags, place => set(place, rule, flags)))
  add('remove <rule>', 'take a rule back that was added here, in the web app or with an approval')
    .alias('rm')
    .action((rule: string, flags: Flags) => withRules(flags, place => remove(place, rule)))
}

interface RuleTarget {
  readonly config: Config
  readonly workspace: string
  readonly project: ProjectRules
}

async function withRules(flags: Flags, action: (place: RuleTarget) => Promise<void>): Promise<void> {
  const { data, workspace: folder, config: file } = flags
  const config = await readDataConfig({ data, workspace: folder, config: file })
  const place = config.workspace ?? join(config.data, 'workspace')
  if (!existsSync(place)) throw new ExitError('workspace', `The workspace ${place} does not exist.`)
  const project = createProjectRules(join(config.data, 'trusted-rules.json'))
  // As sessions know it: by the place that its links lead to.
  await action({ config, workspace: realpathSync(place), project })
}

async function list({ config, workspace, project }: RuleTarget, asJson: boolean): Promise<void> {
  const now = Date.now()
  const saved = (await project.of(workspace)).filter(
    ({ expires_at }) => expires_at === undefined || Date.parse(expires_at) > now,
  )
  const rows = [
    ...configured(config),
    ...saved.map(({ decision, text: rule, expires_at }) => ({
      decision,
      rule,
      source: 'project',
      ...(expires_at === undefined ? {} : { expires_at }),
    })),
  ]
  if (asJson) print(`${toJson(rows, 2)}\n`)
  else if (rows.length === 0) print('No rules.\n')
  else for (const line of table(rows.map(toCells))) print(`${line}\n`)
}

interface Row {
  readonly decision: string
  readonly rule: string
  readonly source: string
  readonly expires_at?: string | undefined
}

const configured = ({ permissions = {} }: Config): readonly Row[] =>
  (['deny', 'ask', 'allow'] as const).flatMap(decision =>
    (permissions[decision] ?? []).map(entry => {
      const { rule, expires_at } = typeof entry === 'string' ? { rule: entry } : entry
      return { decision, rule, source: 'configuration', ...(expires_at === undefined ? {} : { expires_at }) }
    }),
  )

const toCells = ({ decision, rule, source, expires_at }: Row): readonly string[] => [
  decision,
  markLine(rule),
  `(${source}${expires_at === undefined ? '' : `, until ${expires_at}`})`,
]

async function set({ config, workspace, project }: RuleTarget, rule: string, flags: Flags): Promise<void> {
  const expires_at = toMoment(flags['expires'])
  const decision = toDecision(flags['decision'])
  const until = expires_at === undefined ? {} : { expires_at }
  const isThere = (await project.of(workspace)).some(one => one.set_here && one.text === rule)
  await project.set(workspace, { rule, decision, ...until }).catch(refuse)
  await note(config, `permission_rule.${isThere ? 'changed' : 'added'}`, {
    rule,
    decision,
    workspace,
    ...until,
  })
  print(
    `${DONE[decision]} in ${workspace}: ${rule}${expires_at === undefined ? '' : ` until ${expires_at}`}\n`,
  )
}

const DONE = { allow: 'allowed', ask: 'asked about', deny: 'denied' } as const

function toDecision(word: string | boolean | undefined): keyof typeof DONE {
  if (word === 'allow' || word === 'ask' || word === 'deny') return word
  throw new ExitError('usage', '--decision must be allow, ask or deny.')
}

async function remove({ config, workspace, project }: RuleTarget, rule: string): Promise<void> {
  const known = (await project.of(workspace)).find(one => one.set_here && one.text === rule)
  if (!known) throw new ExitError('usage', `No rule ${rule} was added in ${workspace}.`)
  await project.revoke(workspace, rule).catch(refuse)
  await note(config, 'permission_rule.revoked', { rule, workspace })
  print(`no longer ${DONE[known.decision]} in ${workspace}: ${rule}\n`)
}

/** Into the audit trail, where the server writes what is decided through it. */
async function note(
  config: Config,
  action: string,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  const records = await openRecords(config)
  try {
    const entry = { ts: new Date().toISOString(), action, by: 'command line', owner: DEFAULT_OWNER, details }
    await addAudit(records, entry, randomUUID())
  } finally {
    await records.close()
  }
}

function toMoment(hours: string | boolean | undefined): string | undefined {
  if (hours === undefined) return undefined
  const n = Number(hours)
  if (!(n > 0 && n <= 87_600)) throw new ExitError('usage', '--expires must be a number of hours.')
  return new Date(Date.now() + n * 3_600_000).toISOString()
}

function refuse(error: unknown): never {
  throw new ExitError('usage', error instanceof Error ? error.message : String(error))
}

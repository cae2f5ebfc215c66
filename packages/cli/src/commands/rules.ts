/**
 * `toolwire rules …`: the permission rules of a workspace that outlive sessions. Works while a server runs, which
 * reads them anew before the next call; rules of a session are taken back in the web app or by the API.
 */
import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { createProjectRules, type ProjectRules } from '@toolwire/runtime'
import type { Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { ExitError } from '../exit.ts'

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
  add('add <rule>', 'allow something from now on')
    .option('--expires <hours>', 'hours until it ends (default never)')
    .action((rule: string, flags: Flags) => withRules(flags, place => allow(place, rule, flags)))
  add('remove <rule>', 'take an allowance back')
    .alias('rm')
    .action((rule: string, flags: Flags) => withRules(flags, place => remove(place, rule)))
}

interface Place {
  readonly config: Config
  readonly workspace: string
  readonly project: ProjectRules
}

async function withRules(flags: Flags, action: (place: Place) => Promise<void>): Promise<void> {
  const { data, workspace: folder, config: file } = flags
  const config = readConfig({
    flags: { data, workspace: folder, config: file },
    env: process.env,
    cwd: process.cwd(),
  })
  const place = config.workspace ?? join(config.data, 'workspace')
  if (!existsSync(place)) throw new ExitError('workspace', `The workspace ${place} does not exist.`)
  const project = createProjectRules(join(config.data, 'trusted-rules.json'))
  // As sessions know it: by the place that its links lead to.
  await action({ config, workspace: realpathSync(place), project })
}

async function list({ config, workspace, project }: Place, asJson: boolean): Promise<void> {
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
  process.stdout.write(asJson ? `${JSON.stringify(rows, null, 2)}\n` : rows.map(toLine).join(''))
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

const toLine = ({ decision, rule, source, expires_at }: Row): string =>
  `${decision.padEnd(5)} ${rule} (${source}${expires_at === undefined ? '' : `, until ${expires_at}`})\n`

async function allow({ workspace, project }: Place, rule: string, flags: Flags): Promise<void> {
  const expires_at = toMoment(flags['expires'])
  await project.allow(workspace, rule, expires_at).catch(refuse)
  process.stdout.write(
    `allowed in ${workspace}: ${rule}${expires_at === undefined ? '' : ` until ${expires_at}`}\n`,
  )
}

async function remove({ workspace, project }: Place, rule: string): Promise<void> {
  const known = (await project.of(workspace)).some(one => one.decision === 'allow' && one.text === rule)
  if (!known) throw new ExitError('usage', `${rule} is not allowed in ${workspace}.`)
  await project.revoke(workspace, rule).catch(refuse)
  process.stdout.write(`no longer allowed in ${workspace}: ${rule}\n`)
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

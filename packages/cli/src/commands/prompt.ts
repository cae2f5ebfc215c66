/** `toolwire prompt`: prints the words that a model gets before the first message, of a new session or of one that exists. */
import { join } from 'node:path'
import { evolve, initial, type PromptSource, readPages, type SessionState } from '@toolwire/core'
import { systemOf } from '@toolwire/runtime'
import { canonicalPath } from '@toolwire/tools'
import type { Command } from 'commander'
import { terminalAsk } from '../ask-user.ts'
import { toBlueprint } from '../compose.ts'
import { composePrompt } from '../compose-prompt.ts'
import { composeTools } from '../compose-tools.ts'
import { type Config, readConfig } from '../config.ts'
import { readConfigFile } from '../config-file.ts'
import { requireTrust } from '../config-trust.ts'
import { defaultModel } from '../default-model.ts'
import { ExitError } from '../exit.ts'
import { openData } from '../open-data.ts'
import { openProviderKeys } from '../provider-keys/provider-keys.ts'
import { print, toJson } from '../terminal.ts'
import { prepareWorkspace } from '../workspace.ts'

type PromptFlags = Readonly<Record<string, string | boolean | undefined>>

/** Characters of a token, where no provider is asked. */
const CHARACTERS_PER_TOKEN = 4

export function addPromptCommand(program: Command): void {
  program
    .command('prompt')
    .description('print what a model gets: the prompt of a session, its tools, and their sizes')
    .option('--session <id>', 'a session that exists (default a new one in the workspace)')
    .option('--model <id>', 'model of the new session')
    .option('--permission-mode <mode>', 'permission mode of the new session')
    .option('--data <folder>', 'data folder of the server')
    .option('--workspace <folder>', 'folder that tools work in (default that of the server)')
    .option('--config <file>', 'configuration file')
    .option('--json', 'print it as JSON')
    .action(showPrompt)
}

async function showPrompt(flags: PromptFlags): Promise<void> {
  const { data, workspace: folder, config: file, model, permissionMode } = flags
  const sources = {
    flags: { data, workspace: folder, config: file, model, permissionMode },
    env: process.env,
    cwd: process.cwd(),
  }
  const found = readConfigFile(sources)
  // It loads the tools that the file names.
  await requireTrust(found, { ...sources, ask: terminalAsk() })
  const config = readConfig(sources, found)
  const artifacts = canonicalPath(join(config.data, 'artifacts'))
  const tools = await composeTools(toBlueprint(config, process.env), artifacts)
  try {
    await tools.own.refresh()
    const workspace = prepareWorkspace(config.workspace, config.data)
    const before =
      typeof flags['session'] === 'string'
        ? await readSession(config, flags['session'])
        : newSession(config, workspace)
    const scope = { session_id: '', session: () => before, agent: () => before }
    const specs = tools.system.specs(scope)
    const state =
      before.context || !before.created?.context
        ? before
        : await withContext(before, {
            names: specs.map(spec => spec.name),
            prompt: composePrompt(config, workspace, artifacts, {
              ...tools.machine,
              explain: tools.system.explain,
            }),
          })
    const own = { ...scope, session: () => state, agent: () => state }
    const shown = {
      system: systemOf(state, undefined) ?? '',
      parts: partsOf(state),
      tools: tools.system.specs(own),
    }
    print(flags['json'] === true ? `${toJson(shown)}\n` : describe(shown))
  } finally {
    await tools.close()
  }
}

/** The id in its tags is not random: two dumps of one configuration are the same. */
function newSession(config: Config, cwd: string): SessionState {
  const { data, providers } = config
  const model =
    config.model ?? defaultModel(openProviderKeys({ data, env: process.env, hosts: [], providers }))
  const ts = new Date().toISOString()
  const { permissionMode: permission_mode } = config
  const context = { instructions: 'auto', environment: 'auto', skills: 'auto' } as const
  const created = { type: 'session.created', ts, cwd, model, tools: ['*'], permission_mode, context } as const
  const state = evolve(initial(), { seq: 1, epoch: 0, ev: { ...created, tools: ['*'] } })
  return { ...state, provider_session_id: '000000000000' }
}

interface NewContext {
  readonly names: readonly string[]
  readonly prompt: PromptSource
}

async function withContext(session: SessionState, { names, prompt }: NewContext): Promise<SessionState> {
  const now = new Date()
  const { signal } = new AbortController()
  const model = { id: session.model }
  const made = await prompt.make({ session_id: '', session, model, tools: names, now, signal })
  return evolve(session, {
    seq: session.head + 1,
    epoch: 0,
    ev: { type: 'context.set', ts: now.toISOString(), ...made },
  })
}

async function readSession(config: Config, id: string): Promise<SessionState> {
  const store = await openData(config)
  try {
    let state = initial()
    for await (const records of readPages(store, id, { after: 0 })) state = records.reduce(evolve, state)
    if (!state.created) throw new ExitError('usage', `There is no session ${id} in ${config.data}.`)
    return state
  } finally {
    await store.close()
  }
}

interface PromptText {
  readonly key: string
  readonly text: string
}

interface ShownPrompt {
  readonly parts: readonly PromptText[]
  readonly tools: readonly { readonly name: string }[]
}

/** A session without a recorded prompt has its own words alone. */
const partsOf = ({ context, created }: SessionState): readonly PromptText[] =>
  context?.parts ?? (created?.system === undefined ? [] : [{ key: 'system', text: created.system }])

function describe({ parts, tools }: ShownPrompt): string {
  const rows = [
    ...parts.map(part => [part.key, part.text.length] as const),
    ...tools.map(tool => [`tool ${tool.name}`, JSON.stringify(tool).length] as const),
  ]
  const total = rows.reduce((sum, [, size]) => sum + size, 0)
  const table = [...rows, ['total', total] as const].map(
    ([name, size]) =>
      `${name.padEnd(28)} ${String(size).padStart(8)} characters ${String(tokensOf(size)).padStart(7)} tokens`,
  )
  return `${parts.map(part => part.text).join('\n\n')}\n\n${table.join('\n')}\n`
}

const tokensOf = (characters: number): number => Math.ceil(characters / CHARACTERS_PER_TOKEN)

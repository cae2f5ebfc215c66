/**
 * Composes the machine's part of the tools from the settings: commands and their sandbox, background tasks,
 * memory, checkers.
 */
import { join } from 'node:path'
import type { SessionLog, Store } from '@toolwire/core'
import { type MemoryPort, type SettingsPort, tenantIn } from '@toolwire/server'
import {
  type BuiltinOptions,
  createBackgroundTasks,
  createDiagnostics,
  createMemoryStore,
  describeSandbox,
  type SandboxOptions,
  TASK_NOTE,
  type WatchedTask,
} from '@toolwire/tools'
import type { Config } from './config.ts'
import { canThink } from './default-model.ts'
import { databaseFileId } from './open-data.ts'
import { WEB_ROOT } from './web-root.ts'

export interface ProductMachine {
  /** For `createBuiltinTools`. */
  readonly options: Pick<
    BuiltinOptions,
    'bash' | 'tasks' | 'memory' | 'diagnostics' | 'hides_think' | 'sticker_request'
  >
  /** For the server's routes. */
  readonly ports: { readonly memory?: MemoryPort; readonly settings: SettingsPort }
  /** Must be called before anything runs: whose notes a session may see depends on it. */
  readonly knowOwners: (store: Pick<Store, 'list'>) => void
  /** Whose session it is: undefined for the default owner. Throws before `knowOwners`. */
  readonly tenantOf: (session: string) => Promise<string | undefined>
  /**
   * From now on the end of every background command is recorded in its session's log, those of an earlier start
   * included.
   */
  readonly tellEnds: (log: Pick<SessionLog, 'append'>, wake: (session: string) => void) => Promise<void>
  /** Stops watching background commands; they continue. */
  readonly close: () => void
}

/** `env` is what the doctor looks for keys and programs in. */
export function composeMachine(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
): ProductMachine {
  const sandbox = sandboxOptions(config)
  let tell = async (_: WatchedTask): Promise<void> => {
    throw new Error('No listener for ended background tasks is set.')
  }
  const tasks = createBackgroundTasks({ folder: join(config.data, 'tasks'), onEnd: ended => tell(ended) })
  const folder = join(config.data, 'memory')
  let tenantOf = async (_: string): Promise<string | undefined> => {
    throw new Error('it is not known yet whose session this is')
  }
  return {
    options: {
      bash: { sandbox, user_shell: config.shellProfile, reap: config.calls.reap ?? false },
      tasks,
      memory: config.memory
        ? { folder, tenantOf: session => tenantOf(session), commands: config.memory === 'commands' }
        : undefined,
      diagnostics: config.diagnostics && createDiagnostics(config.diagnostics),
      sticker_request: config.stickerRequest,
      hides_think: config.thinkTool === 'auto' ? canThink : () => config.thinkTool === 'never',
    },
    ports: {
      ...(config.memory ? { memory: memoryPort(folder, session => tenantOf(session)) } : {}),
      settings: settingsPort(config, env, sandbox),
    },
    tenantOf: session => tenantOf(session),
    knowOwners(store) {
      tenantOf = tenantIn(store)
    },
    async tellEnds(log, wake) {
      tell = async ({ session_id, agent_run_id, task }) => {
        const ts = new Date().toISOString()
        const agent = agent_run_id === undefined ? {} : { agent_run_id }
        const note = { type: 'note', ts, ...agent, name: TASK_NOTE + task.task_id, value: task } as const
        await log.append([{ session: session_id, events: [note], key: `task-end:${task.task_id}` }])
        wake(session_id)
      }
      await tasks.resume()
    },
    close: tasks.close,
  }
}

/** The doctor is loaded on the first request for it. The database is open when this is called. */
function settingsPort(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
  sandbox: SandboxOptions | undefined,
): SettingsPort {
  const openFile = databaseFileId(config)
  return {
    sandbox: () => describeSandbox(sandbox),
    storage: { engine: config.database === undefined ? 'sqlite' : 'postgres', data: config.data },
    async examine() {
      const { runChecks } = await import('./doctor/run-checks.ts')
      return await runChecks({ config, env, webRoot: WEB_ROOT, isRunning: true, openFile })
    },
  }
}

/**
 * Hides the server's own data from commands: it holds every owner's sessions. If the sandbox is only the default,
 * a call may ask to leave it and is then judged by the permission rules alone: otherwise nothing could reach the
 * network.
 */
function sandboxOptions({ sandbox, data }: Config): SandboxOptions | undefined {
  if (sandbox === 'off') return undefined
  const given: SandboxOptions =
    typeof sandbox === 'string' ? { required: sandbox === 'required', escape: sandbox === 'auto' } : sandbox
  return { ...given, hidden: [data, ...(given.hidden ?? [])] }
}

function memoryPort(folder: string, tenantOf: ReturnType<typeof tenantIn>): MemoryPort {
  const store = createMemoryStore(folder, tenantOf)
  return {
    async list(owner) {
      return (await store.list(owner)).map(({ name, ...file }) => ({ path: name, ...file }))
    },
    async read(path, owner) {
      const located = await store.locate(path, owner)
      const read = located.ok ? await store.read(located.place) : located
      return read.ok ? read.text : undefined
    },
    async remove(path, owner) {
      const located = await store.locate(path, owner)
      return located.ok && (await store.remove(located.place)) === undefined
    },
  }
}

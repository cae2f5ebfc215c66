/**
 * The engine `claude-agent-sdk`: the standard loop with a process of the vendor's program as the model. An idle
 * session's process is kept for a while, because starting one takes a second; after that it is released, and the
 * next request builds a new one from the log.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { AppError, type ModelFinder } from '@toolwire/core'
import type { Engine } from '@toolwire/runtime/engine'
import { type DriveContext, type DriveDeps, drive, usedCallIds } from '@toolwire/runtime/engine'
import { type AgentModelContext, CutMessage, createAgentModel } from './agent-model.ts'
import { createAgentTools } from './agent-tools.ts'
import { Child, type ChildSetup } from './child.ts'
import { ChildSession } from './child-session.ts'
import { childEnvironment } from './environment.ts'
import { grantNote, grantsOf, takeGrant } from './grants.ts'
import { judgeChildTool } from './judge.ts'
import type { CostOf } from './read-messages.ts'
import { type AgentSdk, loadAgentSdk } from './sdk.ts'

export const CLAUDE_AGENT_SDK = 'claude-agent-sdk'

/** Killed processes are gone at once; a machine that takes longer is not waited for. */
const CLOSE_MS = 5_000

export interface ClaudeAgentSdkOptions {
  /** The folder of the package; Node's resolution if absent. */
  readonly folder?: string | undefined
  /** The program to run; the one that the package brings when absent. */
  readonly executable?: string
  /** Its environment; the server's, without the server's secrets, when absent. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Names of the program's own tools (Bash, Read …) to offer beside Toolwire's; none when absent. */
  readonly ownTools?: readonly string[]
  /** Idle time of a process before it is released; a minute if absent. */
  readonly hotMs?: number
  /** Idle processes beyond this number are released, longest idle first; 8 if absent. */
  readonly maxProcesses?: number
  /** Silence timeout of a working process; ten minutes if absent. */
  readonly patienceMs?: number
  /** Prices messages that the program does not price itself: it only reports the cost of a whole turn. */
  readonly costOf?: CostOf
}

/** Starts nothing and loads nothing before the first request. Closed by its owner. */
export function createClaudeAgentSdkEngine(options: ClaudeAgentSdkOptions = {}): Engine {
  const holds = new Map<string, ChildSession>()
  const ending = new Set<Promise<void>>()
  const max = options.maxProcesses ?? 8
  const env = childEnvironment(options.env ?? process.env)
  let loading: Promise<AgentSdk> | undefined

  function loadSdk(): Promise<AgentSdk> {
    loading ??= loadAgentSdk(options.folder)
    // It may be installed while the server runs.
    loading.catch(() => {
      loading = undefined
    })
    return loading
  }

  function start(setup: ChildSetup): Child {
    makeRoom()
    const child = Child.start(setup)
    ending.add(child.ended)
    void child.ended.then(() => ending.delete(child.ended))
    return child
  }

  function makeRoom(): void {
    const alive = [...holds.values()].filter(hold => hold.held)
    const resting = alive.filter(hold => hold.idleSince !== undefined)
    const oldest = resting.toSorted((a, b) => (a.idleSince ?? 0) - (b.idleSince ?? 0))
    for (const hold of oldest.slice(0, Math.max(0, alive.length - max + 1))) hold.drop()
  }

  function holdOf(session: string): ChildSession {
    for (const [id, hold] of holds) if (!hold.held && id !== session) holds.delete(id)
    const hold = holds.get(session) ?? new ChildSession(session)
    holds.set(session, hold)
    return hold
  }

  return {
    name: CLAUDE_AGENT_SDK,
    async drive(stretch) {
      const hold = holdOf(stretch.port.journal.session)
      hold.take()
      try {
        await driveThroughCuts(stretch, equip(stretch, hold, { options, env, loadSdk, start }))
      } finally {
        if (mayBeNeeded(stretch, hold)) hold.rest(options.hotMs ?? 60_000)
        else hold.drop()
      }
    },
    async close() {
      for (const hold of holds.values()) hold.drop()
      holds.clear()
      await Promise.race([Promise.all(ending), setTimeout(CLOSE_MS, undefined, { ref: false })])
    },
  }
}

/** The loop marks a message that was left open, and asks again. */
async function driveThroughCuts({ port, work, stop }: DriveContext, deps: DriveDeps): Promise<void> {
  for (;;) {
    try {
      return await drive(port, deps, work, stop)
    } catch (error) {
      if (!(error instanceof CutMessage)) throw error
      await port.commit()
    }
  }
}

/** A process is worth keeping when it waits for the answers of this pause, or for the next message. */
function mayBeNeeded({ port, stop }: DriveContext, hold: ChildSession): boolean {
  const child = hold.held?.child
  if (!child || stop.aborted) return false
  return port.state().phase === 'paused' ? child.board.waiting().length > 0 : child.isIdle
}

interface Equipment {
  readonly options: ClaudeAgentSdkOptions
  readonly env: AgentModelContext['env']
  readonly loadSdk: AgentModelContext['loadSdk']
  readonly start: AgentModelContext['start']
}

/** The loop's dependencies, with the child as the model. */
function equip({ port, deps }: DriveContext, hold: ChildSession, equipment: Equipment): DriveDeps {
  const { options, env, loadSdk, start } = equipment
  const { journal } = port
  const ownTools = options.ownTools ?? []
  const cwd = (): string => journal.state.created?.cwd ?? process.cwd()
  const context: AgentModelContext = {
    hold,
    env,
    loadSdk,
    start,
    ownTools,
    judge: (tool, input) => judgeChildTool(journal.state.permission_mode, tool, { input, cwd: cwd() }),
    takeGrant(tool, input) {
      const taken = takeGrant(grantsOf(port.state(), tool), input)
      if (taken) void port.emit({ type: 'note', ...port.stamp(), name: grantNote(tool), value: taken.rest })
      return taken?.run
    },
    executable: options.executable,
    costOf: options.costOf,
    patienceMs: options.patienceMs ?? 600_000,
    sessionId: () => toUuid(journal.state.provider_session_id),
    cwd,
    usedIds: () => usedCallIds(port),
    now: deps.now,
    newUuid: randomUUID,
  }
  const models: ModelFinder = id => createAgentModel(toClaudeId(id), context)
  return {
    ...deps,
    models,
    // The program makes room in its own way.
    compaction: false,
    tools: createAgentTools(deps.tools, new Set(ownTools), hold),
    defaults: { ...deps.defaults, provider: CLAUDE_AGENT_SDK },
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The session's own id over there, when it is of the form that the child takes. */
const toUuid = (id: string | undefined): string => (id !== undefined && UUID.test(id) ? id : randomUUID())

/** The engine serves one vendor's models. Throws `unknown_model` for an id that names another's. */
function toClaudeId(id: string): string {
  const bare = id.startsWith('anthropic/') ? id.slice('anthropic/'.length) : id
  if (bare !== '' && bare !== 'demo' && !bare.includes('/')) return bare
  throw new AppError(
    'unknown_model',
    `The engine ${CLAUDE_AGENT_SDK} runs Claude models only, and "${id}" is not one; choose one such as claude-sonnet-4-5, or the native engine.`,
  )
}

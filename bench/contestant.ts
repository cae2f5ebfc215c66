/** Contestants of the benchmarks: the product, a proxy as the floor, and the installed peers. */
import { fileURLToPath } from 'node:url'
import { ROOT } from '../scripts/root.ts'
import {
  CANONICAL_CALLS,
  type CallRoad,
  CHAT_CALLS,
  completionCalls,
  FRONT_END_CALLS,
  messagesCalls,
  RESPONSES_CALLS,
  THREAD_CALLS,
} from './call-road.ts'
import { checkoutVersion } from './checkout-version.ts'
import { findPeers } from './peer.ts'
import { CHAT, COMPLETIONS, MESSAGES, type Road, THREAD, TRANSLATED, TRANSLATED_BACK } from './road.ts'
import { freePort, type Subject, startSubject } from './spawn-subject.ts'
import { behind, SOURCES, startToolwire, WITH_ECHO, withGatheringEcho } from './start-toolwire.ts'

export interface Contestant {
  readonly name: string
  readonly version: string
  readonly roads: (upstream: string) => readonly Road[]
  /** Ways on which it streams the arguments of a call; none when it is not asked for them. */
  readonly callRoads: (upstream: string) => readonly CallRoad[]
  /** True if it runs the tool `echo` round after round, over its first route. */
  readonly runsTools: boolean
  /** Reduction of the load for slow contestants: their streams have this many times fewer deltas. */
  readonly slow: number
  /** True if it keeps every delta in a durable log. */
  readonly durable: boolean
  readonly start: (upstream: string, given?: Given) => Promise<Subject>
}

interface Given {
  /** The tool `echo`, for who does not have it anyway. */
  readonly echo?: boolean
  /** Calls of that tool end once so many have begun. */
  readonly gathers?: number | undefined
}

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

const toolwire = {
  name: 'toolwire',
  version: checkoutVersion(),
  roads: () => [CHAT, THREAD, MESSAGES, COMPLETIONS, TRANSLATED],
  callRoads: () => [
    ...CHAT_CALLS,
    ...THREAD_CALLS,
    ...CANONICAL_CALLS,
    ...FRONT_END_CALLS,
    ...RESPONSES_CALLS,
    messagesCalls(MESSAGES),
    messagesCalls(TRANSLATED_BACK),
    completionCalls(COMPLETIONS),
    completionCalls(TRANSLATED),
  ],
  runsTools: true,
  slow: 1,
  durable: true,
} as const

/** The product, started by what Node is given. */
export const toolwireFrom = (command: readonly string[]): Contestant => ({
  ...toolwire,
  start: (upstream, { echo = false, gathers } = {}) => {
    const tool = gathers === undefined ? WITH_ECHO : withGatheringEcho(gathers)
    return startToolwire({ command, ...behind(upstream), ...(echo ? tool : {}) })
  },
})

/** Started with the tool `echo`. */
export const withEcho = (contestant: Contestant, gathers?: number): Contestant => ({
  ...contestant,
  start: upstream => contestant.start(upstream, { echo: true, gathers }),
})

export const TOOLWIRE: Contestant = toolwireFrom(SOURCES)

const PROXY: Contestant = {
  name: 'plain node:http proxy',
  version: process.version,
  roads: () => [MESSAGES, COMPLETIONS],
  callRoads: () => [messagesCalls(MESSAGES), completionCalls(COMPLETIONS)],
  runsTools: false,
  slow: 1,
  durable: false,
  async start(UPSTREAM) {
    const port = await freePort()
    return await startSubject({
      args: [here('proxy-server.js')],
      port,
      cwd: ROOT,
      env: { UPSTREAM, PORT: String(port) },
    })
  },
}

/** The product first, then the floor, then the peers that are there. */
export const contestants = (): readonly Contestant[] => [TOOLWIRE, PROXY, ...findPeers()]

/**
 * Processes of a command: who they are after a pid may have been reused, who is left, and
 * how they are ended. Descendants are found by process group, by session and by a token in
 * their environment, so a child that moved away is found too (where /proc exists).
 */
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

/** A process that cannot be mistaken for a later one with the same pid. */
export interface ProcessId {
  readonly pid: number
  /** Start time in clock ticks since boot; undefined where the system does not tell. */
  readonly start: string | undefined
}

export const TOKEN_VARIABLE = 'TOOLWIRE_COMMAND_TOKEN'
const GRACE_MS = 2_000
const POLL_MS = 25
const AT_ONCE = 16

export async function identify(pid: number): Promise<ProcessId> {
  return { pid, start: (await readStat(pid))?.start }
}

/** Still the same process, and not a zombie. */
export async function isAlive({ pid, start }: ProcessId): Promise<boolean> {
  const stat = await readStat(pid)
  if (stat) return stat.state !== 'Z' && (start === undefined || stat.start === start)
  return start === undefined && canSignal(pid)
}

/** Everything that belongs to the command, its leader included while it lives. */
export async function members(group: number | undefined, token: string): Promise<readonly number[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter(name => /^\d+$/.test(name)).map(Number)
  const found: number[] = []
  // A few at a time: a machine may have thousands, and each has several files open while it is looked at.
  for (let i = 0; i < pids.length; i += AT_ONCE) {
    const some = pids.slice(i, i + AT_ONCE)
    const mine = await Promise.all(some.map(pid => belongs(pid, group, token)))
    found.push(...some.filter((_, j) => mine[j]))
  }
  return found
}

/** TERM to all, two seconds of grace, KILL to whoever is left. Resolves when they are gone. Idempotent. */
export async function killAll(group: number | undefined, token: string, graceMs = GRACE_MS): Promise<void> {
  if (!(await signalAll(group, token, 'SIGTERM'))) return
  const deadline = performance.now() + graceMs
  while (performance.now() < deadline) {
    await delay(POLL_MS)
    if ((await left(group, token)) === 0) return
  }
  // A child may be born between look and kill; a few rounds settle it.
  for (let round = 0; round < 20 && (await signalAll(group, token, 'SIGKILL')); round++) await delay(POLL_MS)
}

async function left(group: number | undefined, token: string): Promise<number> {
  const pids = await members(group, token)
  return pids.length > 0
    ? pids.length
    : Number(process.platform !== 'linux' && group !== undefined && canSignal(-group))
}

/** False when nobody was there. */
async function signalAll(group: number | undefined, token: string, signal: NodeJS.Signals): Promise<boolean> {
  const pids = await members(group, token)
  const byGroup = group !== undefined && group > 1 && send(-group, signal)
  const bySweep = pids.map(pid => send(pid, signal))
  return pids.length > 0 || (process.platform !== 'linux' && byGroup) || bySweep.some(Boolean)
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

function canSignal(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function belongs(pid: number, group: number | undefined, token: string): Promise<boolean> {
  const stat = await readStat(pid)
  if (!stat || stat.state === 'Z') return false
  if (group !== undefined && (stat.group === group || stat.session === group)) return true
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
  return environment.split('\0').includes(`${TOKEN_VARIABLE}=${token}`)
}

interface Stat {
  readonly state: string
  readonly group: number
  readonly session: number
  readonly start: string
}

async function readStat(pid: number): Promise<Stat | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined)
  if (text === undefined) return undefined
  // The second field is the name in parentheses, which may hold anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return {
    state: fields[0] ?? '',
    group: Number(fields[2]),
    session: Number(fields[3]),
    start: fields[19] ?? '',
  }
}

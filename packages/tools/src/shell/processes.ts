/**
 * Finds and ends the processes of a command. With /proc they are found by process group, by session, by a token in
 * their environment, by a resource limit derived from the token, and as descendants of those. A limit is inherited
 * by every descendant: neither `env -i` nor `setsid` nor a second fork removes it.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

/** A process that cannot be mistaken for a later one with the same pid. */
export interface ProcessId {
  readonly pid: number
  /** Start time in clock ticks since boot; undefined where the system does not report it. */
  readonly start: string | undefined
}

export const TOKEN_VARIABLE = 'TOOLWIRE_COMMAND_TOKEN'
const GRACE_MS = 2_000
const POLL_MS = 25
const AT_ONCE = 16
/** A command that still starts processes after so many rounds cannot be ended. */
const MAX_ROUNDS = 200

/**
 * The value of the file lock limit that encodes a token. Linux ignores this limit, so any value is harmless; only
 * a privileged process can raise it again.
 */
export const markOf = (token: string): string =>
  String(2 ** 48 + Number.parseInt(createHash('sha256').update(token).digest('hex').slice(0, 12), 16))

/** The first line of a bash script whose processes are to be found; `mark` is an expression of the shell. */
export const markLine = (mark: string): string => `builtin ulimit -x ${mark} 2>/dev/null`

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
export async function members(leader: ProcessId | undefined, token: string): Promise<readonly number[]> {
  return (await find(leader, token)).map(({ pid }) => pid)
}

interface FoundProcess {
  readonly pid: number
  readonly start: string
  readonly group: number
}

async function find(leader: ProcessId | undefined, token: string): Promise<readonly FoundProcess[]> {
  const group = await groupLedBy(leader)
  const limit = new RegExp(`^Max file locks +${markOf(token)} `, 'm')
  const marks = { group, token: `${TOKEN_VARIABLE}=${token}`, limit }
  const looked = new Map<number, FoundProcess>()
  const found = new Set<number>()
  const children = new Map<number, number[]>()
  async function look(pid: number): Promise<void> {
    const stat = await readStat(pid)
    if (!stat || stat.state === 'Z') return
    looked.set(pid, { pid, start: stat.start, group: stat.group })
    children.set(stat.parent, [...(children.get(stat.parent) ?? []), pid])
    if (await isMarked(pid, stat, marks)) found.add(pid)
  }
  const seen = new Set([process.pid])
  // Until there is nothing new: a process that ended before it was looked at may have started another.
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const names = await readdir('/proc').catch(() => [])
    const fresh = names.filter(name => /^\d+$/.test(name) && !seen.has(Number(name))).map(Number)
    if (fresh.length === 0) break
    for (const pid of fresh) seen.add(pid)
    // A few at a time: a machine may have thousands, and each has several files open while it is looked at.
    for (let i = 0; i < fresh.length; i += AT_ONCE) await Promise.all(fresh.slice(i, i + AT_ONCE).map(look))
  }
  // A set also visits what is added while it is walked.
  for (const pid of found) for (const child of children.get(pid) ?? []) found.add(child)
  return [...found].flatMap(pid => looked.get(pid) ?? [])
}

/**
 * The number of the group that the process leads or led; undefined when another process has its pid by now, and the
 * group is a stranger's. A leader without a start time is not trusted on a system that has them.
 */
async function groupLedBy(leader: ProcessId | undefined): Promise<number | undefined> {
  if (leader === undefined || leader.pid <= 1) return undefined
  if (process.platform !== 'linux') return leader.pid
  const now = await readStat(leader.pid)
  return leader.start !== undefined && (!now || now.start === leader.start) ? leader.pid : undefined
}

/** TERM to all, two seconds of grace, KILL to the rest. Resolves when they are gone. Idempotent. */
export async function killAll(
  leader: ProcessId | undefined,
  token: string,
  graceMs = GRACE_MS,
): Promise<void> {
  if (!signalAll(leader, await find(leader, token), 'SIGTERM')) return
  const deadline = performance.now() + graceMs
  while (performance.now() < deadline) {
    await delay(POLL_MS)
    if (!(await isAnyLeft(leader, token))) return
  }
  await killRest(leader, token)
}

/** Stops what is left until a look finds nothing new, and kills it then: a stopped process starts no other. */
async function killRest(leader: ProcessId | undefined, token: string): Promise<void> {
  const stopped = new Set<string>()
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = await find(leader, token)
    const fresh = found.filter(one => !stopped.has(nameOf(one)))
    for (const one of fresh) {
      sendTo(one, 'SIGSTOP')
      stopped.add(nameOf(one))
    }
    if (fresh.length > 0) continue
    if (!signalAll(leader, found, 'SIGKILL')) return
    await delay(POLL_MS)
  }
}

const nameOf = ({ pid, start }: FoundProcess): string => `${pid} ${start}`

async function isAnyLeft(leader: ProcessId | undefined, token: string): Promise<boolean> {
  if ((await find(leader, token)).length > 0) return true
  return process.platform !== 'linux' && leader !== undefined && leader.pid > 1 && canSignal(-leader.pid)
}

/** Signals the group as a whole and each process found; false if there is no such item. */
function signalAll(
  leader: ProcessId | undefined,
  found: readonly FoundProcess[],
  signal: NodeJS.Signals,
): boolean {
  const group = leader?.pid ?? 0
  // As long as one of them lives, the number of its group cannot go to another.
  const isOurs = process.platform !== 'linux' || found.some(one => one.group === group && isSame(one))
  const byGroup = group > 1 && isOurs && send(-group, signal)
  for (const one of found) sendTo(one, signal)
  return found.length > 0 || byGroup
}

/** Not to another process that got the pid since the look. */
function sendTo(one: FoundProcess, signal: NodeJS.Signals): void {
  if (isSame(one)) send(one.pid, signal)
}

function isSame({ pid, start }: FoundProcess): boolean {
  try {
    return toStat(readFileSync(`/proc/${pid}/stat`, 'latin1')).start === start
  } catch {
    return false
  }
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

interface Marks {
  readonly group: number | undefined
  readonly token: string
  readonly limit: RegExp
}

async function isMarked(pid: number, stat: Stat, { group, token, limit }: Marks): Promise<boolean> {
  if (group !== undefined && (stat.group === group || stat.session === group)) return true
  if (limit.test(await readFile(`/proc/${pid}/limits`, 'latin1').catch(() => ''))) return true
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
  return environment.split('\0').includes(token)
}

interface Stat {
  readonly state: string
  readonly parent: number
  readonly group: number
  readonly session: number
  readonly start: string
}

async function readStat(pid: number): Promise<Stat | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined)
  return text === undefined ? undefined : toStat(text)
}

function toStat(text: string): Stat {
  // The second field is the name in parentheses, which may hold anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return {
    state: fields[0] ?? '',
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    start: fields[19] ?? '',
  }
}

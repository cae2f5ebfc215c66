/** Checks the process's environment: its clock, its limits of files and connections, and proxies. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DoctorContext } from './doctor-context.ts'
import { type Finding, good, note } from './finding.ts'

/** This program was written after it. */
const EARLIEST = Date.parse('2026-01-01')
const LATEST = Date.parse('2100-01-01')
const TOLERANCE_MS = 60 * 60 * 1000

/** Sends no request: finds only impossible times. */
export function examineClock({ config }: Pick<DoctorContext, 'config'>): Finding {
  const now = Date.now()
  const what = `clock ${new Date(now).toISOString()}`
  const mend = 'set it: keys expire and approvals run out by it'
  if (now < EARLIEST || now > LATEST) return note(`${what} cannot be right`, mend)
  // A running server writes to the log beside the database.
  const files = ['toolwire.db', 'toolwire.db-wal'].map(name => join(config.data, name))
  const written = Math.max(...files.map(modifiedAt))
  if (written > now + TOLERANCE_MS)
    return note(`${what} is before the latest write to the data, ${new Date(written).toISOString()}`, mend)
  return good(what)
}

/** 0 for a file that is absent or out of reach: another check reports that. */
function modifiedAt(file: string): number {
  try {
    return statSync(file).mtimeMs
  } catch {
    return 0
  }
}

const LEAST_DESCRIPTORS = 4096

/** Every connection and every open file takes one. */
export function examineDescriptors(): Finding {
  return judgeDescriptors(readLimits())
}

/** `limits` is the text of /proc/self/limits; undefined where it does not exist. */
export function judgeDescriptors(limits: string | undefined): Finding {
  const soft = limits === undefined ? undefined : /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1]
  if (soft === undefined) return good('the limit of open files is not known here')
  const what = `${soft} files and connections may be open`
  if (soft === 'unlimited' || Number(soft) >= LEAST_DESCRIPTORS) return good(what)
  return note(
    what,
    `raise it to ${LEAST_DESCRIPTORS} or more (ulimit -n, LimitNOFILE): beyond it clients are refused`,
  )
}

function readLimits(): string | undefined {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return undefined
  }
}

const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy']

/** Their values may hold passwords: only their names are printed. */
export function examineProxy({ env }: Pick<DoctorContext, 'env'>): Finding {
  const set = PROXIES.filter(name => env[name])
  if (set.length === 0) return good('no proxy is set')
  const names = set.join(', ')
  return env['NODE_USE_ENV_PROXY']
    ? good(`requests to the outside go by ${names}`)
    : note(`${names} is set and not used`, 'set NODE_USE_ENV_PROXY=1 for requests to go by it')
}

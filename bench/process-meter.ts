/**
 * Usage of a process and its descendants, read from /proc, so on Linux alone. Threads are included; an ended
 * thread or child takes its share along, so measure while they live.
 */
import { readdirSync, readFileSync } from 'node:fs'

const PAGE_BYTES = 4096
const TICK_MICROS = 10_000

/** CPU time so far, in microseconds. */
export function cpuMicros(pid: number): number {
  let nanos = 0
  for (const one of family(pid))
    for (const thread of list(`/proc/${one}/task`))
      nanos += Number(read(`/proc/${one}/task/${thread}/schedstat`).split(' ')[0] ?? 0)
  return nanos / 1000
}

/** The same with threads and children that have ended, in steps of the system's clock. */
export function lastingCpuMicros(pid: number): number {
  const fields = read(`/proc/${pid}/stat`)
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROS
}

/** Resident memory, in bytes. */
export function residentBytes(pid: number): number {
  let pages = 0
  for (const one of family(pid)) pages += Number(read(`/proc/${one}/statm`).split(' ')[1] ?? 0)
  return pages * PAGE_BYTES
}

function family(root: number): readonly number[] {
  const members = [root]
  for (const member of members)
    for (const thread of list(`/proc/${member}/task`)) {
      const children = read(`/proc/${member}/task/${thread}/children`)
      for (const child of children.split(' ')) if (child !== '') members.push(Number(child))
    }
  return members
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Empty for what has ended meanwhile. */
function read(file: string): string {
  try {
    return readFileSync(file, 'latin1').trim()
  } catch {
    return ''
  }
}

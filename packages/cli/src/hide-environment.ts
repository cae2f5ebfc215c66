/**
 * Takes secrets out of what the system shows of this process: commands of the same user can read /proc/<pid>/environ,
 * and changes of `process.env` do not reach it. The values stay in `process.env`.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { isSecretVariable } from '@toolwire/tools'

/** False where the system does not allow it; then the environment stays as it was. Never throws. Idempotent. */
export function hideEnvironment(): boolean {
  if (process.platform !== 'linux') return false
  try {
    const block = readFileSync('/proc/self/environ', 'latin1')
    const start = startOfBlock()
    const memory = openSync('/proc/self/mem', 'r+')
    try {
      let at = start
      for (const entry of block.split('\0')) {
        if (isSecretEntry(entry)) erase(memory, entry, at)
        at += entry.length + 1
      }
    } finally {
      closeSync(memory)
    }
    return true
  } catch {
    return false
  }
}

const nameOf = (entry: string): string => entry.slice(0, Math.max(0, entry.indexOf('=')))

function isSecretEntry(entry: string): boolean {
  const name = nameOf(entry)
  return name !== '' && isSecretVariable(name, entry.slice(name.length + 1))
}

function erase(memory: number, entry: string, at: number): void {
  const name = nameOf(entry)
  const value = process.env[name]
  // Setting it copies it: nothing refers to the block afterwards.
  if (value !== undefined) process.env[name] = value
  writeSync(memory, Buffer.alloc(entry.length), 0, entry.length, at)
}

/** The address of the environment that the process was started with: field 50 of its stat. */
function startOfBlock(): number {
  const stat = readFileSync('/proc/self/stat', 'latin1')
  const address = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[47])
  if (!Number.isSafeInteger(address) || address <= 0) throw new Error('the address is not shown')
  return address
}

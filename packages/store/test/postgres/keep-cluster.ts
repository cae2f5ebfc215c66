/**
 * Keeps one cluster for all test files of a run: writes its address into a file and ends it when the
 * run's process is gone, however that ended. Arguments: folder, process id of the run.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCluster } from './cluster.ts'

const [dir = '', run = ''] = process.argv.slice(2)
const cluster = await createCluster({ dir }).catch(fail)
await cluster.start().catch(fail)
publish('address', cluster.url)
process.on('SIGTERM', () => {})
process.on('SIGINT', () => {})
while (isAlive(Number(run))) await new Promise(resolve => setTimeout(resolve, 300))
await cluster.remove()

/** Whole or not at all: others read it at any time. */
function publish(name: string, text: string): void {
  writeFileSync(join(dir, `${name}.part`), text)
  renameSync(join(dir, `${name}.part`), join(dir, name))
}

/** All test files of the run wait for the address, and get the reason instead. */
function fail(error: unknown): never {
  publish('failure', String(error))
  throw error
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

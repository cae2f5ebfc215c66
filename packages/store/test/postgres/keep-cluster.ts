/**
 * Keeps one cluster for all test files of a run: writes its address into a file and ends it when the
 * run's process is gone, however that ended. Arguments: folder, process id of the run.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCluster } from './cluster.ts'

const [dir = '', run = ''] = process.argv.slice(2)
const cluster = await createCluster({ dir })
await cluster.start()
writeFileSync(join(dir, 'address.part'), cluster.url)
renameSync(join(dir, 'address.part'), join(dir, 'address'))
process.on('SIGTERM', () => {})
process.on('SIGINT', () => {})
while (isAlive(Number(run))) await new Promise(resolve => setTimeout(resolve, 300))
await cluster.remove()

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/**
 * `npm run load -- --postgres`: thousands of watchers on servers that share a database, and a table of results.
 */
import { openFleetAndCluster } from '../packages/cli/test/cluster/fleet.ts'
import { watcherTable } from '../packages/cli/test/cluster/watcher-table.ts'
import { runWatchers } from '../packages/cli/test/cluster/watchers.ts'
import { embeddedPostgres, measuredWith } from './measured-with.ts'

/** Returns how many problems there were; each is printed. */
export async function loadPostgres(load: Parameters<typeof runWatchers>[1]): Promise<number> {
  const { fleet, close } = await openFleetAndCluster()
  try {
    const figures = await runWatchers(fleet, load)
    process.stdout.write(`${measuredWith(embeddedPostgres())}\n\n${watcherTable(figures)}`)
    return figures.problems.length
  } finally {
    await close()
  }
}

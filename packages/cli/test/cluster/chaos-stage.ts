/**
 * Servers, each behind a proxy and half of them with a wrong clock, on a separate database: the stage of the chaos
 * test.
 */
import { join } from 'node:path'
import type { Cluster } from '../../../store/test/postgres/cluster.ts'
import type { Launched } from '../launch.ts'
import { type DroppingProxy, startDroppingProxy } from './dropping-proxy.ts'
import { type Fleet, openFleetAndCluster } from './fleet.ts'

export interface ChaosNode {
  readonly server: Launched
  readonly proxy: DroppingProxy
  /** Something is being done to it. */
  busy: boolean
}

export interface ChaosStage {
  readonly cluster: Cluster
  readonly fleet: Fleet
  readonly nodes: ChaosNode[]
  /** Adds one more server, when it has started. */
  readonly addSoon: () => void
  /** Forgets a server that is gone. */
  readonly drop: (node: ChaosNode) => void
  readonly close: () => Promise<void>
}

const SKEW = join(import.meta.dirname, 'skewed-clock.ts')

/** `onLoss` receives a server that ended unexpectedly. */
export async function openChaosStage(
  count: number,
  env: Record<string, string>,
  onLoss: (stderr: string) => void,
): Promise<ChaosStage> {
  const { cluster, fleet, close: closeFleet } = await openFleetAndCluster()
  const nodes: ChaosNode[] = []
  const starting = new Set<Promise<void>>()
  let closing = false
  let started = 0
  async function add(): Promise<void> {
    // Every other server believes that it is an hour later.
    const clock: Record<string, string> = started++ % 2 === 0 ? {} : { NODE_OPTIONS: `--import=${SKEW}` }
    const proxy = await startDroppingProxy(cluster.port)
    const url = new URL(fleet.database.url)
    url.port = String(proxy.port)
    const server = await fleet.start({ ...env, ...clock, DATABASE_URL: url.href }).catch(error => {
      proxy.close()
      throw error
    })
    const node = { server, proxy, busy: false }
    nodes.push(node)
    node.server.child.once('exit', () => {
      if (nodes.includes(node) && !node.busy && !closing)
        void node.server.stop().then(end => onLoss(end.stderr))
    })
  }
  function addSoon(): void {
    if (closing) return
    // One that finds no database just now is started again.
    const start = add()
      .catch(addSoon)
      .finally(() => starting.delete(start))
    starting.add(start)
  }
  const close = async (): Promise<void> => {
    closing = true
    await cluster.start()
    await Promise.allSettled(starting)
    for (const node of nodes) node.proxy.close()
    await closeFleet()
  }
  await Promise.all(Array.from({ length: count }, add)).catch(async error => {
    await close()
    throw error
  })
  return {
    cluster,
    fleet,
    nodes,
    addSoon,
    drop(node) {
      nodes.splice(nodes.indexOf(node), 1)
      node.proxy.close()
    },
    close,
  }
}

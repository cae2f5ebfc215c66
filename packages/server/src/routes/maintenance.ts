/**
 * Maintenance routes: how much is stored, what could be pruned, and the checks of the doctor. They change nothing.
 * They report on the data of all owners, so they need the scope `admin`.
 */
import { AppError } from '@toolwire/core'
import type { FastifyInstance } from 'fastify'
import type { ServerContext } from '../context.ts'

/** Ages in days for which GET /api/storage counts the sessions that `toolwire db prune` would delete. */
const AGES = [30, 90] as const
const DAY_MS = 86_400_000

export function addUpkeepRoutes(app: FastifyInstance, context: ServerContext): void {
  const { config, store, clock } = context

  app.get('/api/storage', async () => {
    const now = clock.now().getTime()
    const [{ byState: by_state, isEstimate: is_estimate, ...counts }, ...idle] = await Promise.all([
      store.stats(),
      ...AGES.map(days => store.prune({ before: now - days * DAY_MS, dryRun: true })),
    ])
    const prunable = AGES.map((older_than_days, i) => ({ older_than_days, sessions: idle[i] ?? 0 }))
    return {
      ...counts,
      by_state,
      ...(is_estimate ? { is_estimate } : {}),
      prunable,
      place: config.settings?.storage ?? null,
    }
  })

  app.get('/api/doctor', async () => {
    const { settings } = config
    if (!settings?.examine) throw new AppError('not_found', 'Health checks are not available on this server.')
    return { findings: await settings.examine() }
  })
}

/**
 * What whoever looks after this server wants to know: how much is stored and what could go, and what the
 * doctor finds. Both only look. They tell of everybody's data, so they need the scope `admin`.
 */
import { AppError } from '@toolwire/core'
import type { FastifyInstance } from 'fastify'
import type { ServerContext } from '../context.ts'

/** Ages in days for which GET /api/storage counts what `toolwire db prune` would delete. */
const AGES = [30, 90] as const
const DAY_MS = 86_400_000

export function addUpkeepRoutes(app: FastifyInstance, context: ServerContext): void {
  const { config, store, clock } = context

  app.get('/api/storage', async () => {
    const now = clock.now().getTime()
    const [{ byState: by_state, ...counts }, ...idle] = await Promise.all([
      store.stats(),
      ...AGES.map(days => store.prune({ before: now - days * DAY_MS, dryRun: true })),
    ])
    const prunable = AGES.map((older_than_days, i) => ({ older_than_days, sessions: idle[i] ?? 0 }))
    return { ...counts, by_state, prunable, place: config.settings?.storage ?? null }
  })

  app.get('/api/doctor', async () => {
    const { settings } = config
    if (!settings?.examine) throw new AppError('not_found', 'This server has no doctor.')
    return { findings: await settings.examine() }
  })
}

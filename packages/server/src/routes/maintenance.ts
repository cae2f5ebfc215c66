/**
 * Maintenance routes: how much is stored, what could be pruned, and the checks of the doctor. They change nothing.
 * They report on the data of all owners, so they need the scope `admin`.
 */
import { AppError } from '@toolwire/core'
import { defineRoute, type Route } from '../http/route.ts'
import { json } from '../openapi/operation.ts'
import { Findings, Storage } from '../openapi/shapes/server-shapes.ts'

/** Ages in days for which GET /api/storage counts the sessions that `toolwire db prune` would delete. */
const AGES = [30, 90] as const
const DAY_MS = 86_400_000

export const maintenanceRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/storage',
    scope: 'admin',
    id: 'getStorage',
    tag: 'Server',
    summary: 'Size of the data and number of idle sessions',
    responses: { 200: json(Storage, 'The values of `toolwire db stats`. Nothing is deleted.') },
    handle: async (_, { ports, store, clock }) => {
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
        place: ports.settings?.storage ?? null,
      }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/doctor',
    scope: 'admin',
    id: 'examineServer',
    tag: 'Server',
    summary: 'What works on this machine, what is missing, and what to do about it',
    errors: ['not_found'],
    responses: { 200: json(Findings, 'What `toolwire doctor` finds.') },
    handle: async (_, { ports }) => {
      const { settings } = ports
      if (!settings?.examine)
        throw new AppError('not_found', 'Health checks are not available on this server.')
      return { findings: await settings.examine() }
    },
  }),
]

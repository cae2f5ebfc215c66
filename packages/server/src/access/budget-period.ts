/**
 * Periods of budgets by their names: `2026-11-19` for a day, the Monday of a week, `2026-11` for a month. A sum belongs
 * to a name, so nothing has to be reset, and a clock that is set back finds the sums of that time.
 */
import { z } from 'zod'
import { ModelNames } from './model-names.ts'

const PERIODS = ['day', 'week', 'month', 'total'] as const
const amount = z.number().positive().max(1e12)

const isTimezone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}

export const Budget = z
  .strictObject({
    usd: amount.optional(),
    tokens: amount.int().optional().describe('Everything that models read and write.'),
    runs: amount.int().optional(),
    period: z.enum(PERIODS),
    timezone: z
      .string()
      .max(64)
      .refine(isTimezone, 'must be a time zone such as Europe/Berlin')
      .default('UTC')
      .describe('In which days, weeks and months begin.'),
    models: ModelNames.min(1).optional().describe('It is for these models alone, and bounds no others.'),
  })
  .refine(one => one.usd !== undefined || one.tokens !== undefined || one.runs !== undefined, {
    message: 'must have usd, tokens or runs',
  })
  .refine(one => one.runs === undefined || one.models === undefined, {
    message: 'runs cannot be counted by models: a run may ask several',
  })
export type Budget = z.output<typeof Budget>

export const Budgets = z.array(Budget).max(10)

const DAY_MS = 86_400_000

/** The name of the period that the moment is in. Pure. */
export function periodAt({ period, timezone }: Pick<Budget, 'period' | 'timezone'>, now: Date): string {
  if (period === 'total') return 'total'
  // This locale writes dates as 2026-11-19.
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' }).format(now)
  if (period === 'month') return day.slice(0, 7)
  return period === 'day' ? day : mondayOf(day)
}

function mondayOf(day: string): string {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  const sinceMonday = (new Date(midnight).getUTCDay() + 6) % 7
  return new Date(midnight - sinceMonday * DAY_MS).toISOString().slice(0, 10)
}

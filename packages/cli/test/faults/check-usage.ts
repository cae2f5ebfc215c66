/** Reads what a run used from the log, and holds the wire's own words and the run's end against it. */
import { expect } from 'vitest'
import type { Got, Used } from './http-form.ts'
import { ends, readLog, usageOfRun } from './read-log.ts'
import type { WireName } from './wires.ts'

const NOTHING: Used = { input: 0, output: 0 }

/** The vendors' errors have no place for it. */
const isTold = (wire: WireName, { error }: Got): boolean =>
  error === undefined || !/openai|anthropic/.test(wire)

/**
 * Usage of the latest run of the session, from the events of its requests; undefined if none reported any. Fails
 * if the end of the run, or the response, differs. The run must not resume from a pause.
 */
export async function checkUsage(url: string, wire: WireName, got: Got): Promise<Used | undefined> {
  const log = await readLog(url, got.session)
  const end = ends(log).at(-1)
  const used = usageOfRun(log, end?.run_id)
  expect(end, wire).toBeDefined()
  if (end && 'usage_by_model' in end) {
    const rows = end.usage_by_model.map(row => row.usage)
    const total = {
      input: rows.reduce((sum, one) => sum + one.input + one.cache_read + one.cache_write, 0),
      output: rows.reduce((sum, one) => sum + one.output, 0),
    }
    expect(total, `${wire}: the end of the run`).toEqual(used ?? NOTHING)
  }
  if (wire === 'canonical') expect(got.usage, wire).toEqual(used)
  else expect(got.usage, wire).toEqual(isTold(wire, got) ? (used ?? NOTHING) : undefined)
  return used
}

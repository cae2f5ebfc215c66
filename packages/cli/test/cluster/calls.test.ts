/** What becomes of a call whose server dies while it runs: one that only reads is made again, one that writes never. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { checkLog } from './check-log.ts'
import { type Fleet, newSession, openFleet, readLog, say, until } from './fleet.ts'

// Servers start slowly on a busy machine.
vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 })

let fleet: Fleet
beforeEach(async () => {
  fleet = await openFleet()
})
afterEach(() => fleet.close())

const file = (name: string): string => join(fleet.workspace, name)
const begun = (): number => {
  try {
    return readFileSync(file('begun'), 'utf8').split('\n').length - 1
  } catch {
    return 0
  }
}

/** A tool that leaves a line when it begins, and ends when a file appears. */
const source = (isReadOnly: boolean): string => `
import { appendFileSync, existsSync } from 'node:fs'
export const tool = ({ defineTool, z }) => defineTool({
  name: 'weigh_parcel', description: 'Weighs a parcel', input: z.strictObject({}), isReadOnly: () => ${isReadOnly},
  async *call() {
    appendFileSync(${JSON.stringify(file('begun'))}, 'begun\\n')
    while (!existsSync(${JSON.stringify(file('go'))})) await new Promise(resolve => setTimeout(resolve, 20))
    yield { type: 'result', output_text: 'three kilograms' }
  },
})`

for (const isReadOnly of [true, false])
  test(`kill -9 while a call runs that ${isReadOnly ? 'only reads: it is made again and ends once' : 'writes: it is not made again and ends as unknown'}`, async () => {
    writeFileSync(file('weigh.js'), source(isReadOnly))
    const env = { TOOLWIRE_TOOLS: file('weigh.js') }
    const [first, second] = await Promise.all([fleet.start(env), fleet.start(env)])
    const session = await newSession(second, { tools: ['weigh_parcel'] })
    say(first, session, 'weigh the parcel')
    await until(() => begun() === 1)
    await first.stop('SIGKILL')
    if (isReadOnly) await until(() => begun() === 2)
    writeFileSync(file('go'), '')
    await until(async () => (await readLog(fleet, session)).at(-1)?.ev.type === 'run.completed')
    const log = await readLog(fleet, session)
    expect(checkLog(session, log)).toEqual([])
    const ends = log
      .map(rec => rec.ev)
      .filter(ev => ev.type === 'tool.completed' || ev.type === 'tool.failed')
    expect(ends.map(ev => ev.type)).toEqual([isReadOnly ? 'tool.completed' : 'tool.failed'])
    expect(JSON.stringify(ends)).toMatch(isReadOnly ? /three kilograms/ : /unknown|interrupted/)
    expect(begun()).toBe(isReadOnly ? 2 : 1)
  })

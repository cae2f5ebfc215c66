import { describe, expect, test } from 'vitest'
import type { AgentPort } from '../../src/loop/agent-port.ts'
import { createCallStops } from '../../src/loop/call-stops.ts'

interface Call {
  readonly call_id: string
  readonly cancel?: object
}

const portWith = (state: { calls: readonly Call[] }): AgentPort =>
  ({ state: () => state }) as unknown as AgentPort

describe('the switch of a call', () => {
  test('is thrown when that call alone is stopped, also before the switch is taken', () => {
    const state = { calls: [{ call_id: 'a' }, { call_id: 'b', cancel: {} }] as Call[] }
    const stops = createCallStops(portWith(state))
    const [a, b] = [stops.signal('a'), stops.signal('b')]
    expect([a.aborted, b.aborted]).toEqual([false, true])
    state.calls = [{ call_id: 'a', cancel: {} }]
    stops.check()
    expect(a.aborted).toBe(true)
  })

  test('costs no more than one look at each call of its message', () => {
    let looks = 0
    const MANY = 200
    const calls = Array.from({ length: MANY }, (_, n) => ({
      get call_id() {
        looks++
        return `c${n}`
      },
    }))
    const stops = createCallStops(portWith({ calls }))
    for (let n = 0; n < MANY; n++) stops.signal(`c${n}`)
    expect(looks).toBeLessThanOrEqual(MANY * MANY)
    stops.check()
    expect(looks).toBeLessThanOrEqual(MANY * (MANY + 2))
  })
})

/** Budgets of keys by periods: sums, limits, and what is refused when one is used up. */
import { createMemoryRecords } from '@toolwire/store'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keyIdOf, rotateKey } from '../../src/access/api-key.ts'
import { Budget, periodAt } from '../../src/access/budget-period.ts'
import {
  type BudgetHolder,
  chargeBudgets,
  countRuns,
  findExhausted,
  readBudgets,
} from '../../src/access/budgets.ts'
import { createSpendMeter } from '../../src/index.ts'
import { type KeyServer, startKeyServer } from './key-server.ts'

const at = (text: string): Date => new Date(text)
const budget = (more: object): Budget => Budget.parse({ usd: 1, period: 'month', ...more })
const turn = (usd: number | null, model?: string) => ({ usd, input_tokens: 60, output_tokens: 40, model })

describe('a period', () => {
  it.each([
    ['day', 'UTC', '2026-11-30T23:59:59Z', '2026-11-30'],
    ['day', 'Asia/Kathmandu', '2026-11-30T18:15:00Z', '2026-12-01'],
    ['day', 'America/Los_Angeles', '2026-12-01T07:59:59Z', '2026-11-30'],
    ['week', 'UTC', '2026-11-29T23:59:59Z', '2026-11-23'],
    ['week', 'UTC', '2026-11-30T00:00:00Z', '2026-11-30'],
    ['week', 'UTC', '2027-01-03T12:00:00Z', '2026-12-28'],
    ['month', 'UTC', '2028-02-29T23:59:59Z', '2028-02'],
    ['month', 'Europe/Berlin', '2026-10-31T23:30:00Z', '2026-11'],
    // The clock goes back at 01:00 UTC: both hours are of one day.
    ['day', 'Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-25'],
    ['day', 'Europe/Berlin', '2026-10-25T01:30:00Z', '2026-10-25'],
    // A day without its first hour.
    ['day', 'America/Sao_Paulo', '2018-11-04T03:00:00Z', '2018-11-04'],
    ['total', 'UTC', '2026-11-30T00:00:00Z', 'total'],
  ] as const)('%s in %s has at %s the name %s', (period, timezone, now, name) => {
    expect(periodAt({ period, timezone }, at(now))).toBe(name)
  })
})

describe('sums', () => {
  const holder = (...budgets: readonly Budget[]): BudgetHolder => ({ subject: 'key', budgets })
  const used = async (records: ReturnType<typeof createMemoryRecords>, one: BudgetHolder, now: Date) =>
    (await readBudgets(records, one, now)).map(({ used: { usd, tokens, runs } }) => [usd, tokens, runs])

  it('begin with each period, and a clock that is set back finds the earlier one', async () => {
    const records = createMemoryRecords()
    const mine = holder(budget({}), budget({ period: 'day' }), budget({ period: 'total' }))
    await chargeBudgets(records, mine, turn(0.5), at('2026-11-30T12:00:00Z'))
    await chargeBudgets(records, mine, turn(0.25), at('2026-12-01T12:00:00Z'))
    expect(await used(records, mine, at('2026-12-01T13:00:00Z'))).toEqual([
      [0.25, 100, 0],
      [0.25, 100, 0],
      [0.75, 200, 0],
    ])
    expect(await used(records, mine, at('2026-11-30T13:00:00Z'))).toEqual([
      [0.5, 100, 0],
      [0.5, 100, 0],
      [0.75, 200, 0],
    ])
  })

  it('stay when the amount changes, and are those of the named models alone', async () => {
    const records = createMemoryRecords()
    const now = at('2026-11-30T12:00:00Z')
    await chargeBudgets(
      records,
      holder(budget({}), budget({ models: ['house/*'] })),
      turn(0.5, 'house/a'),
      now,
    )
    await chargeBudgets(records, holder(budget({}), budget({ models: ['house/*'] })), turn(0.5, 'other'), now)
    const changed = holder(budget({ usd: 9 }), budget({ usd: 9, models: ['house/*'] }))
    expect(await used(records, changed, now)).toEqual([
      [1, 200, 0],
      [0.5, 100, 0],
    ])
  })

  it('of money refuse at the amount, of tokens also without a price, and warn from four fifths on', async () => {
    const records = createMemoryRecords()
    const now = at('2026-11-30T12:00:00Z')
    const money = holder(budget({}))
    const state = async (one: BudgetHolder) => {
      const all = await readBudgets(records, one, now)
      return [all[0]?.warning, findExhausted(all, undefined)?.message]
    }
    await chargeBudgets(records, money, turn(0.79), now)
    expect(await state(money)).toEqual([false, undefined])
    await chargeBudgets(records, money, turn(0.02), now)
    expect(await state(money)).toEqual([true, undefined])
    await chargeBudgets(records, money, turn(0.5), now)
    expect(await state(money)).toEqual([true, 'This API key has used up its budget of this month: $1.'])
    const tokens = { subject: 'free', budgets: [Budget.parse({ tokens: 100, period: 'week' })] }
    await chargeBudgets(records, tokens, turn(null), now)
    expect(await state(tokens)).toEqual([
      true,
      'This API key has used up its budget of this week: 100 tokens.',
    ])
  })

  it('for some models refuse these, and leave the others', async () => {
    const records = createMemoryRecords()
    const now = at('2026-11-30T12:00:00Z')
    const mine = holder(budget({ models: ['dear'] }))
    await chargeBudgets(records, mine, turn(2, 'dear'), now)
    const all = await readBudgets(records, mine, now)
    expect(findExhausted(all, 'dear')?.code).toBe('quota_exceeded')
    expect([findExhausted(all, 'cheap'), findExhausted(all, undefined)]).toEqual([undefined, undefined])
  })

  it('of runs let exactly as many begin, of a hundred at once', async () => {
    const records = createMemoryRecords()
    const mine = holder(Budget.parse({ runs: 7, period: 'day' }))
    const now = at('2026-11-30T12:00:00Z')
    const begun = await Promise.allSettled(
      Array.from({ length: 100 }, () => countRuns(records, mine, 1, now)),
    )
    expect(begun.filter(({ status }) => status === 'fulfilled')).toHaveLength(7)
    expect(await used(records, mine, now)).toEqual([[0, 0, 7]])
  })
})

describe('a key with budgets', () => {
  let server: KeyServer
  beforeEach(async () => {
    server = await startKeyServer()
  })
  afterEach(() => server.close())
  const say = async (key: string, session_id: string): Promise<number> => {
    const response = await server.chat({ session_id, message: 'echo' }, { authorization: `Bearer ${key}` })
    await response.text()
    return response.status
  }
  const newSession = async (key: string): Promise<string> =>
    (await server.as(key, 'POST', '/api/sessions', {})).body.id

  it('begins as many runs as it may, and its browser tokens take from the same', async () => {
    const budgets = [Budget.parse({ runs: 2, period: 'day' })]
    const key = await server.newKey({ budgets, scopes: ['read', 'write', 'tokens'] })
    const { token } = (await server.as(key, 'POST', '/api/tokens', { owner: 'alice' })).body
    const session = await newSession(key)
    expect(await say(token, await newSession(token))).toBe(200)
    expect(await say(key, session)).toBe(200)
    expect(await say(key, session)).toBe(429)
    expect(await say(token, await newSession(token))).toBe(429)
    expect((await server.as(key, 'GET', '/api/me')).body.budgets).toMatchObject([
      { period: 'day', used: { runs: 2 }, warning: true },
    ])
    expect((await server.as(token, 'GET', '/api/me')).body.budgets).toMatchObject([{ used: { runs: 2 } }])
  })

  it('takes a message that is sent twice for one run', async () => {
    const key = await server.newKey({ budgets: [Budget.parse({ runs: 2, period: 'day' })] })
    const session = await newSession(key)
    const send = async (name: string): Promise<number> => {
      const headers = { authorization: `Bearer ${key}`, 'idempotency-key': name }
      const response = await server.chat({ session_id: session, message: 'echo' }, headers)
      await response.text()
      return response.status
    }
    expect([await send('a'), await send('a'), await send('a'), await send('b'), await send('c')]).toEqual([
      200, 200, 200, 200, 429,
    ])
  })

  it('that are used up refuses new work, lets one look, and keeps its sums through a rotation', async () => {
    const key = await server.newKey({ budgets: [budget({})] })
    const id = keyIdOf(key) ?? ''
    const session = await newSession(key)
    await chargeBudgets(server.records, { subject: id, budgets: [budget({})] }, turn(1), new Date())
    expect(await say(key, session)).toBe(429)
    expect((await server.as(key, 'GET', `/api/sessions/${session}`)).status).toBe(200)
    const again = (await rotateKey(server.records, id, new Date()))?.key ?? ''
    // A server knows the new secret within a second.
    await expect.poll(() => say(again, session), { timeout: 100_000 }).not.toBe(401)
    expect(await say(again, session)).toBe(429)
  })

  it('is asked before every request of a run, with what all servers have charged', async () => {
    const key = keyIdOf(await server.newKey({ budgets: [budget({}), budget({ models: ['dear'] })] })) ?? ''
    const nodes = [1, 2].map(() => createSpendMeter(server.store, server.records, () => {}))
    const refuse = async (name: string, model: string) =>
      await Promise.all(nodes.map(async node => await node.refuse(name, model)))
    expect(await refuse(key, 'dear')).toEqual([undefined, undefined])
    const holder = { subject: key, budgets: [budget({ models: ['dear'] })] }
    await chargeBudgets(server.records, holder, turn(1, 'dear'), new Date())
    const reason = 'This API key has used up its budget of this month: $1.'
    expect(await refuse(key, 'dear')).toEqual([reason, reason])
    expect(await refuse(`token:${key}:alice`, 'dear')).toEqual([reason, reason])
    expect(await refuse(key, 'cheap')).toEqual([undefined, undefined])
    expect(await refuse('user:alice', 'dear')).toEqual([undefined, undefined])
  })

  it('gives other keys all of them, or lower ones', async () => {
    const day = { usd: 5, period: 'day' }
    const key = await server.newKey({ budgets: [Budget.parse(day)], scopes: ['admin'] })
    const give = async (budgets?: unknown) =>
      (await server.as(key, 'POST', '/api/keys', { name: 'k', budgets })).status
    expect(await give([day])).toBe(201)
    expect(
      await give([
        { ...day, usd: 1 },
        { runs: 3, period: 'week' },
      ]),
    ).toBe(201)
    for (const more of [
      [],
      [{ ...day, usd: 6 }],
      [{ ...day, period: 'week' }],
      [{ tokens: 1, period: 'day' }],
    ])
      expect(await give(more)).toBe(403)
    for (const more of [[{ ...day, models: ['a'] }], [{ ...day, timezone: 'Asia/Tokyo' }]])
      expect(await give(more)).toBe(403)
    expect((await server.as(key, 'POST', '/api/keys', { name: 'k' })).body.budgets).toMatchObject([day])
  })

  it.each([
    [{ usd: 1, period: 'fortnight' }],
    [{ usd: -1, period: 'day' }],
    [{ usd: 0, period: 'day' }],
    [{ usd: null, period: 'day' }],
    [{ usd: '1', period: 'day' }],
    [{ usd: 1e13, period: 'day' }],
    [{ tokens: 1.5, period: 'day' }],
    [{ period: 'day' }],
    [{ usd: 1 }],
    [{ usd: 1, period: 'day', timezone: 'Mars/Olympus' }],
    [{ usd: 1, period: 'day', timezone: '__proto__' }],
    [{ usd: 1, period: 'day', models: [] }],
    [{ runs: 1, period: 'day', models: ['a'] }],
    [{ usd: 1, period: 'day', more: 1 }],
  ])('is not made with %j', async one => {
    const key = await server.newKey({ scopes: ['admin'] })
    const refused = await server.as(key, 'POST', '/api/keys', { name: 'k', budgets: [one] })
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'bad_request' } } })
    expect(refused.body.error.message).toContain('budgets')
  })
})

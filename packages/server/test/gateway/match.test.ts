/** The table of outcomes: which session answers, by what the lookups found. */
import type { SessionRow } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { type Lookup, type Lookups, type Match, match, type Question } from '../../src/gateway/match.ts'

const row = (id: string, labels: Readonly<Record<string, string>> = {}): SessionRow => ({
  id,
  labels,
  head: 1,
  epoch: 1,
  owner: null,
  state: 'idle',
  title: null,
  wakeAt: null,
  createdAt: 0,
  updatedAt: 0,
})

const MESSAGE: Question = {
  tail: 'message',
  hasAnswer: true,
  isPlain: true,
  isAddition: false,
  chain: 'C',
  echo: 'E',
  owner: 'me',
  setup: 'S',
  calls: [],
  results: [],
  ownId: 'own',
  isNamed: false,
  hasUser: false,
}
const RESULTS: Question = { ...MESSAGE, tail: 'results', isPlain: false, calls: ['c1'], results: ['c1'] }
const FIRST: Question = { ...MESSAGE, hasAnswer: false, isPlain: false, isNamed: true }

/** The match, and the lookups in the order in which they were needed. */
function run(question: Question, rows: Partial<Record<Lookup, SessionRow>>) {
  const needed: Lookup[] = []
  let known: Lookups = {}
  for (;;) {
    const found = match(question, known)
    if ('do' in found) return { found, needed }
    needed.push(found.need)
    known = { ...known, [found.need]: rows[found.need] ?? null }
  }
}

const named = { isNamed: true, hasUser: true }
const asked = { gateway_asked: 'C', gateway_setup: 'S' }
const mine = { gateway_owner: 'me', gateway_call: 'c1' }

const OUTCOMES: readonly [
  string,
  Question,
  Partial<Record<Lookup, SessionRow>>,
  Partial<Match>,
  readonly Lookup[],
][] = [
  ['results of a call that is known', RESULTS, { call: row('a', asked) }, { do: 'answer' }, ['call']],
  [
    'results in another spelling',
    RESULTS,
    { call: row('a', { ...asked, gateway_asked: 'x', gateway_echo_asked: 'E' }) },
    { do: 'answer' },
    ['call'],
  ],
  [
    'results, found by name',
    { ...RESULTS, ...named },
    { named: row('a', asked) },
    { do: 'answer' },
    ['call', 'named'],
  ],
  [
    'results, found by user',
    { ...RESULTS, ...named },
    { user: row('a', asked) },
    { do: 'answer' },
    ['call', 'named', 'user'],
  ],
  ['results without ids', { ...RESULTS, calls: [] }, { chain: row('a', asked) }, { do: 'answer' }, ['chain']],
  [
    'results, found by echo',
    { ...RESULTS, calls: [] },
    { echo: row('a', { ...asked, gateway_asked: 'x', gateway_echo_asked: 'E' }) },
    { do: 'answer' },
    ['chain', 'echo'],
  ],
  [
    'results with other settings',
    RESULTS,
    { call: row('a', { ...asked, gateway_setup: 'x' }) },
    { do: 'import', replaces: row('a', { ...asked, gateway_setup: 'x' }) },
    ['call'],
  ],
  [
    'results of another conversation',
    RESULTS,
    { call: row('a', mine) },
    { do: 'import', source: row('a', mine), replaces: row('a', mine) },
    ['call', 'chain', 'echo'],
  ],
  [
    'results of a call of another key',
    RESULTS,
    { call: row('a', { ...mine, gateway_owner: 'you' }) },
    { do: 'import', source: undefined, replaces: undefined },
    ['call', 'chain', 'echo'],
  ],
  [
    'results of an unknown call',
    RESULTS,
    {},
    { do: 'import', replaces: undefined },
    ['call', 'chain', 'echo'],
  ],
  ['a message', MESSAGE, { chain: row('a', { gateway_chain: 'C' }) }, { do: 'append' }, ['chain']],
  [
    'a message in another spelling',
    MESSAGE,
    { echo: row('a', { gateway_echo: 'E' }) },
    { do: 'append' },
    ['chain', 'echo'],
  ],
  [
    'a message after a system message',
    { ...MESSAGE, isPlain: false },
    { chain: row('a', { gateway_chain: 'C' }) },
    { do: 'import', replaces: row('a', { gateway_chain: 'C' }), warnings: [] },
    ['chain'],
  ],
  [
    'a message instead of results',
    { ...MESSAGE, isPlain: false, calls: ['c1'] },
    { call: row('a', { ...mine, gateway_chain: 'C' }) },
    { do: 'import', replaces: row('a', { ...mine, gateway_chain: 'C' }), warnings: [] },
    ['call'],
  ],
  [
    'a message of another conversation after results',
    { ...MESSAGE, isPlain: false, calls: ['c1'], results: ['c1'] },
    { call: row('a', mine) },
    { do: 'import', replaces: row('a', mine), warnings: [] },
    ['call', 'chain', 'echo'],
  ],
  [
    'a side request about a call that waits',
    { ...MESSAGE, isPlain: false, calls: ['c1'] },
    { call: row('a', mine) },
    { do: 'import', source: row('a', mine), replaces: undefined, warnings: [] },
    ['call', 'chain', 'echo'],
  ],
  [
    'a message of an unknown conversation',
    MESSAGE,
    {},
    { do: 'import', id: undefined, warnings: [] },
    ['chain', 'echo'],
  ],
  [
    'a message of another conversation than the named one',
    { ...MESSAGE, isNamed: true },
    { named: row('n') },
    { do: 'import', id: undefined, source: row('n'), replaces: undefined },
    ['named', 'chain', 'echo'],
  ],
  [
    'a message of a conversation that is not named yet',
    { ...MESSAGE, isNamed: true },
    {},
    { do: 'import', id: 'own', warnings: [] },
    ['named', 'chain', 'echo'],
  ],
  [
    'user messages alone for a named session',
    { ...FIRST, isAddition: true },
    { named: row('n') },
    { do: 'add' },
    ['named'],
  ],
  [
    'instructions for a named session',
    FIRST,
    { named: row('n') },
    { do: 'import', id: undefined },
    ['named'],
  ],
  [
    'a first message with a new name',
    { ...FIRST, isAddition: true },
    {},
    { do: 'import', id: 'own', warnings: [] },
    ['named'],
  ],
  [
    'a first message without a name',
    { ...FIRST, isAddition: true, isNamed: false, ownId: undefined },
    {},
    { do: 'import', id: undefined, warnings: [] },
    [],
  ],
  [
    'an unfinished response',
    { ...MESSAGE, tail: 'continue' },
    { chain: row('a', { gateway_chain: 'C' }) },
    { do: 'import', warnings: [] },
    ['chain'],
  ],
]

describe('the outcome of', () => {
  test.each(OUTCOMES)('%s', (...[, question, rows, expected, lookups]) => {
    const { found, needed } = run(question, rows)
    expect(found).toMatchObject(expected)
    expect(needed).toEqual(lookups)
  })
})

test('a session that continues with changed messages is a warning, and one that holds them all is not', () => {
  const kept = [{ code: 'history_kept', message: expect.any(String) }]
  const exact = row('a', { ...asked, gateway_chain: 'C', gateway_echo: 'E', gateway_echo_asked: 'E' })
  const changed = row('a', { gateway_setup: 'S', gateway_echo: 'E', gateway_echo_asked: 'E' })
  for (const question of [RESULTS, { ...MESSAGE, calls: ['c1'] }]) {
    expect(run(question, { call: exact }).found).toMatchObject({ row: exact, warnings: [] })
    expect(run(question, { call: changed }).found).toMatchObject({ row: changed, warnings: kept })
  }
})

test('what waits in vain is imported instead, and a busy named session is a conflict', () => {
  const { found } = run(RESULTS, { call: row('a', { ...asked, ...mine }) })
  expect(found).toMatchObject({ do: 'answer', otherwise: { do: 'import', replaces: { id: 'a' } } })
  const { found: added } = run({ ...FIRST, isAddition: true }, { named: row('n') })
  expect(added).toMatchObject({ do: 'add', otherwise: { code: 'conflict' } })
})

test.each([
  ['results', RESULTS, {}, 'No session waits'],
  ['results near a session', RESULTS, { call: row('a', mine) }, 'The session that waits'],
  ['a named session', FIRST, { named: row('n') }, 'The named session holds another conversation'],
])('the warning for %s says why a session was made', (_, question, rows, text) => {
  const { found } = run(question, rows)
  expect(found).toMatchObject({
    warnings: [{ code: 'session_rebuilt', message: expect.stringContaining(text) }],
  })
})

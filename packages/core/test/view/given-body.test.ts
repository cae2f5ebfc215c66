/** Displays that a tool made of itself: used where they can be drawn, otherwise the call is shown as any other. */
import { describe, expect, it } from 'vitest'
import { applyRecords, describeCall, emptyView, type ToolBody } from '../../src/view/index.ts'
import { changedAt, OTHERS, placesOf } from '../places.ts'
import { Script } from './script.ts'

const BODIES: readonly ToolBody[] = [
  { kind: 'terminal', command: 'ls', output: 'a', exit_code: 1 },
  {
    kind: 'diff',
    path: '/a',
    lines: [{ type: 'same', text: 'a', old_line: 1, new_line: 1 }],
    added: 0,
    removed: 0,
  },
  { kind: 'file', path: '/a', text: 'a', lang: 'ts', first_line: 2, note: 'n' },
  {
    kind: 'search',
    query: 'q',
    items: [{ title: 'a', path: '/a', line: 1, url: 'u', text: 'x' }],
    more: 1,
    text: '',
  },
  { kind: 'notebook', path: '/a', cell: 'c', source: 's', text: '' },
  { kind: 'todo', items: [{ text: 'a', status: 'pending' }] },
  { kind: 'image', images: [{ src: 'data:,', media_type: 'image/png' }], text: '' },
  { kind: 'agent', prompt: 'p', text: '' },
  { kind: 'json', input: 1, output: 2, text: '' },
  { kind: 'text', text: 'a' },
]

const given = (kind: string, body: unknown): ToolBody => {
  const script = new Script().created().ask('x').turn('m').call('m', 0, 'c', { name: 'x', input: {} })
  const call = applyRecords(emptyView(), script.records).calls.get('c')
  if (!call) throw new Error('no call')
  return describeCall({ ...call, view: { kind, body } }).body
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((inside: unknown, key) => Reflect.get(inside as object, key), value)
const kindOf = (value: unknown): string => (Array.isArray(value) ? 'list' : typeof value)

describe.for(BODIES)('a body of the kind $kind', whole => {
  const { kind, ...body } = whole
  it('is taken as it is', () => {
    expect(given(kind, body)).toMatchObject(whole)
  })

  it('is not taken when a value in it is of another kind', () => {
    for (const path of placesOf(body).slice(1))
      for (const other of OTHERS) {
        const open = kind === 'json' && (path[0] === 'input' || path[0] === 'output')
        if (other === undefined || open || kindOf(other) === kindOf(at(body, path))) continue
        const made = given(kind, changedAt(body, path, other))
        expect([path, other, made.kind === kind && at(made, path) === other]).toEqual([path, other, false])
      }
  })
})

it('is not accepted with another value, or a kind that objects inherit', () => {
  for (const body of [null, 7, [], 'word', undefined])
    expect(given('file', body)).toMatchObject({ kind: 'json' })
  expect(given('constructor', {})).toMatchObject({ kind: 'json' })
  expect(given('diff', { path: { toString: 1 }, patch: '@@ -1 +1 @@\n-a\n+b\n' })).toMatchObject({ path: '' })
})

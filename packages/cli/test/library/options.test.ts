/** Options that cannot work are refused before anything is opened, with path, value and the nearest name. */
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createToolwire, defineTool, type ToolwireOptions } from '../../src/index.ts'

const tool = (name: string) =>
  defineTool({
    name,
    description: 'Says yes.',
    input: z.strictObject({}),
    async *call() {
      yield { type: 'result', output_text: 'yes' }
    },
  })

const CASES: readonly (readonly [unknown, string])[] = [
  [null, 'createToolwire takes an object of options.'],
  [{ tool: [] }, '"tool" is no option of createToolwire; did you mean "tools"?'],
  [
    { tools: [tool('Refund'), tool('Refund')] },
    'tools[1].name must not be the name of another tool, but is "Refund".',
  ],
  [{ tools: [{ name: 'Refund' }] }, 'tools[0] must be a tool that defineTool made.'],
  [{ tools: [tool('with space')] }, 'tools[0].name must be letters'],
  [
    { tools: [tool('Bash')], builtin: ['Bash'], workspace: '.' },
    'tools[0].name must not be the name of a built-in tool',
  ],
  [{ models: { one: {} } }, 'models.one must be a model with a stream function'],
  [{ basePath: 'agent' }, 'but is "agent".'],
  [{ basePath: '/agent/' }, 'basePath must begin with "/"'],
  [{ basePath: '/../agent' }, 'basePath must begin with "/"'],
  [{ builtin: ['Rad'] }, 'builtin[0] must be a built-in tool; did you mean "Read"?, but is "Rad".'],
  [{ builtin: ['Read'] }, 'workspace must name the folder'],
  [{ run: false }, 'run: false needs a store that another process runs'],
  [{ run: false, store: { sqlite: './data' } }, 'run: false needs a store that another process runs'],
  [{ store: { sqlite: '' } }, 'store must be "memory"'],
  [{ store: { sqlit: './data' } }, 'store must be "memory"'],
  [{ permissions: { allow: [7] } }, 'permissions.allow[0]'],
  [{ permissionMode: 'yolo' }, 'permissionMode must be one of default'],
  [{ limits: { max_turn: 3 } }, 'limits.max_turn is no limit; did you mean "max_turns"?'],
  [{ limits: { max_turns: 0 } }, 'limits.max_turns must be at least 1, but is 0.'],
  [{ authenticate: 'me' }, 'authenticate must be a function, but is "me".'],
  [{ auth: { jwt: [{ issuer: 'http://login.example.com', audience: 'a' }] } }, 'auth.jwt[0].issuer must be'],
  [
    { auth: { jwt: [{ issuer: 'https://login.example.com', audience: 'a', algorithms: ['HS256'] }] } },
    'auth',
  ],
  [{ logger: {} }, 'logger must have the functions info and error'],
  [{ ui: true, basePath: '/agent' }, 'ui: true needs an empty basePath'],
]

it.each(CASES)('%j is refused', (options, sentence) => {
  const create = () => createToolwire(options as ToolwireOptions)
  expect(create).toThrow(TypeError)
  expect(create).toThrow(sentence)
})

it('never shows a key or an address of a database', () => {
  const bad: readonly unknown[] = [
    { apiKeys: ['hunter2'] },
    { store: { postgres: 'postgres://me:hunter2@db', sqlite: 'x' } },
    { env: { KEY: 'hunter2', OTHER: 7 } },
  ]
  for (const options of bad) {
    const create = () => createToolwire(options as ToolwireOptions)
    expect(create).toThrow(TypeError)
    expect(create).not.toThrow('hunter2')
  }
})

it('takes names of objects for no options', () => {
  expect(() => createToolwire({ toString: 1 } as unknown as ToolwireOptions)).toThrow(
    '"toString" is no option',
  )
  expect(() => createToolwire(JSON.parse('{"__proto__":{"access":"open"}}'))).toThrow(
    '"__proto__" is no option',
  )
})

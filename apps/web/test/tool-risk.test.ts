import { expect, test } from 'vitest'
import { riskOf } from '../src/screens/tool-risk.ts'

const tool = (name: string, rest: object = {}) => ({ name, input_schema: {}, ...rest })

test.each([
  [tool('Read', { effect: 'reads' }), 'read'],
  [tool('anything', { effect: 'reads' }), 'read'],
  [tool('anything', { effect: 'asks' }), 'ask'],
  [tool('anything', { effect: 'depends' }), 'depends'],
  [tool('anything', { effect: 'changes' }), 'other'],
  [tool('anything'), 'other'],
  [tool('constructor'), 'other'],
  [tool('Write', { effect: 'changes' }), 'edit'],
  [tool('Bash', { effect: 'depends' }), 'shell'],
  [tool('WebSearch', { effect: 'reads' }), 'network'],
  [tool('Write', { effect: 'changes', destructive: true }), 'destructive'],
])('the risk of %j is %s, by what the server says of it', (given, risk) => {
  expect(riskOf(given)).toBe(risk)
})

test('a name that sounds harmless makes no tool look safer than the server says', () => {
  for (const name of ['Read', 'Grep', 'Think', 'TodoWrite'])
    expect(riskOf(tool(name, { effect: 'changes' }))).toBe('other')
  expect(riskOf(tool('Edit', { effect: 'reads' }))).toBe('read')
})

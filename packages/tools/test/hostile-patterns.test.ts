/** Patterns of other people: schemas of client tools, rules of approvers. None may take the process with it. */
import { expect, test } from 'vitest'
import { createSchemaCheck } from '../src/checks/json-schema.ts'
import { fitsCommand } from '../src/permissions/rules.ts'

const long = `${'a'.repeat(60)}!`

test.each([
  ['names as expressions', { type: 'object', patternProperties: { '^(a|a)*$': {} } }],
  ['a repeated group', { type: 'object', properties: { [long]: { type: 'string', pattern: '^(a|a)*$' } } }],
  [
    'references that multiply',
    {
      type: 'object',
      $ref: '#/$defs/d0',
      $defs: Object.fromEntries(
        Array.from({ length: 40 }, (_, i) => [
          `d${i}`,
          { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
        ]),
      ),
    },
  ],
])('a client schema with %s checks nothing instead of hanging', (_, schema) => {
  expect(createSchemaCheck(schema)({ [long]: long })).toMatchObject({ ok: true })
})

test('an ordinary schema still checks', () => {
  const check = createSchemaCheck({
    type: 'object',
    properties: { n: { type: 'number' }, id: { type: 'string', pattern: '^[a-z]+$' } },
  })
  expect(check({ n: 1, id: 'abc' })).toMatchObject({ ok: true })
  expect(check({ n: 'one' })).toMatchObject({ ok: false })
  expect(check({ id: 'A1' })).toMatchObject({ ok: false })
})

test('a rule with many stars is matched in one pass', () => {
  expect(fitsCommand(`${'*a'.repeat(30)}b`, 'a'.repeat(5000))).toBe(false)
  expect(fitsCommand(`${'*a'.repeat(3)}b`, 'xaxaxab')).toBe(true)
})

test.each([
  ['npm test', 'npm test', true],
  ['npm test', 'npm test -- -u', false],
  ['npm run:*', 'npm run', true],
  ['npm run:*', 'npm run build', true],
  ['npm run:*', 'npm runaway', false],
  ['git * --oneline', 'git log --oneline', true],
  ['git * --oneline', 'git log', false],
  ['a*a', 'a', false],
  ['*', 'anything at all', true],
])('the rule %s and the command %s: %s', (rule, command, fits) => {
  expect(fitsCommand(rule, command)).toBe(fits)
})

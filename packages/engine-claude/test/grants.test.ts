/** Approvals that came too late. */
import { initial } from '@toolwire/core'
import { expect, test } from 'vitest'
import { grantNote, grantsOf, takeGrant } from '../src/grants.ts'

const grant = { input: { command: 'ls', deep: { a: 1, b: 2 } }, run: { command: 'ls -a' } }

test('a grant is found by the input, whatever the order of its keys, and is used up', () => {
  const state = { ...initial(), notes: { [grantNote('Bash')]: [grant, grant] } }
  const taken = takeGrant(grantsOf(state, 'Bash'), { deep: { b: 2, a: 1 }, command: 'ls' })
  expect(taken).toEqual({ run: { command: 'ls -a' }, rest: [grant] })
})

test('another input, another tool and no note grant nothing', () => {
  const state = { ...initial(), notes: { [grantNote('Bash')]: [grant] } }
  expect(takeGrant(grantsOf(state, 'Bash'), { command: 'rm' })).toBeUndefined()
  expect(grantsOf(state, 'Write')).toEqual([])
  expect(grantsOf(initial(), 'Bash')).toEqual([])
})

/** The waiting detector. */
import { expect, test } from 'vitest'
import { type CallStage, notWaiting, stepWaiting, type WaitingInput, waitingCalls } from '../src/waiting.ts'

const after = (...inputs: readonly WaitingInput[]): readonly string[] =>
  waitingCalls(inputs.reduce(stepWaiting, notWaiting))
const call = (id: string, stage: CallStage): WaitingInput => ({ type: 'call', id, stage })
const end: WaitingInput = { type: 'end' }

test('it waits for all calls that our handlers have, once the message has ended', () => {
  const made = [call('a', 'made'), call('a', 'entered'), call('b', 'made'), call('b', 'entered')]
  expect(after(...made)).toEqual([])
  expect(after(...made, end)).toEqual(['a', 'b'])
})

test('a handler may be entered before and after the end', () => {
  expect(after(call('a', 'made'), call('a', 'entered'), call('b', 'made'), end)).toEqual([])
  expect(after(call('a', 'made'), end, call('a', 'entered'))).toEqual(['a'])
})

test('it does not wait while it still runs one of its own calls', () => {
  const mixed = [call('own', 'made'), call('ours', 'made'), call('ours', 'entered'), end]
  expect(after(...mixed)).toEqual([])
  expect(after(...mixed, call('own', 'done'))).toEqual(['ours'])
})

test('a question is waited for like a call', () => {
  expect(after(call('own', 'made'), end, call('own', 'asked'))).toEqual(['own'])
})

test('a call behind a question is held by it, until the question is answered', () => {
  const asked = [call('own', 'made'), call('own', 'asked'), call('ours', 'made'), end]
  expect(after(...asked)).toEqual(['own'])
  expect(after(...asked, call('own', 'running'))).toEqual([])
  expect(after(...asked, call('own', 'running'), call('own', 'done'), call('ours', 'entered'))).toEqual([
    'ours',
  ])
})

test('results end the wait, in any order, and a late entry does not bring it back', () => {
  expect(
    after(call('a', 'made'), call('a', 'entered'), end, call('a', 'done'), call('a', 'entered')),
  ).toEqual([])
})

test('a new message forgets the calls of the one before', () => {
  expect(after(call('a', 'made'), call('a', 'entered'), end, { type: 'message' }, end)).toEqual([])
})

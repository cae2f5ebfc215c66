import { describe, expect, test } from 'vitest'
import { createQuestionRouter } from '../src/question-router.ts'

const NEVER = new AbortController().signal

/** A call that runs until it is ended. */
function running(askers: ReturnType<typeof createQuestionRouter<string>>, owner: string, name = owner) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const done = askers.run({ owner, answer: name }, () => promise)
  return async () => {
    resolve()
    await done
  }
}

const state = async (question: Promise<unknown>): Promise<string> => {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve()
  return await Promise.race([question.then(() => 'known'), Promise.resolve('open')])
}

describe('a question that names no call', () => {
  test('belongs to the only call that runs', async () => {
    const askers = createQuestionRouter<string>()
    running(askers, 'a')
    expect((await askers.find(NEVER))?.answer).toBe('a')
  })

  test('is refused when no call runs', async () => {
    expect(await createQuestionRouter<string>().find(NEVER)).toBeUndefined()
  })

  test('with several owners waits until it can only be one of them', async () => {
    const askers = createQuestionRouter<string>()
    const endA = running(askers, 'a')
    running(askers, 'b')
    const question = askers.find(NEVER)
    expect(await state(question)).toBe('open')
    await endA()
    expect((await question)?.answer).toBe('b')
  })

  test('cannot belong to a call that waits for another answer already', async () => {
    const askers = createQuestionRouter<string>()
    running(askers, 'a')
    const first = await askers.find(NEVER)
    running(askers, 'b')
    expect((await askers.find(NEVER))?.answer).toBe('b')
    first?.done()
    expect((await askers.find(NEVER))?.answer).toBe('a')
  })

  test('of two owners who ask at the same time is never given to the wrong one', async () => {
    const askers = createQuestionRouter<string>()
    const endA = running(askers, 'a')
    running(askers, 'b')
    const one = askers.find(NEVER)
    const two = askers.find(NEVER)
    expect(await one).toBeUndefined()
    expect(await state(two)).toBe('open')
    await endA()
    expect((await two)?.answer).toBe('b')
  })

  test('of several calls of one owner goes to the latest', async () => {
    const askers = createQuestionRouter<string>()
    running(askers, 'a', 'first')
    running(askers, 'a', 'second')
    expect((await askers.find(NEVER))?.answer).toBe('second')
  })

  test('that the server withdraws belongs to no call', async () => {
    const askers = createQuestionRouter<string>()
    running(askers, 'a')
    running(askers, 'b')
    const stop = new AbortController()
    const question = askers.find(stop.signal)
    stop.abort()
    expect(await question).toBeUndefined()
  })
})

test('a question inside the context of its call is that call’s, whatever else runs', async () => {
  const askers = createQuestionRouter<string>()
  running(askers, 'a')
  const found = await askers.run({ owner: 'b', answer: 'b' }, async () => await askers.find(NEVER))
  expect(found?.answer).toBe('b')
})

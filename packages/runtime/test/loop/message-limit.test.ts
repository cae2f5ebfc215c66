/** A message of a model that is larger than any model writes ends the run with an error. */
import type { Model, ModelPart } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { expect, test } from 'vitest'
import { createMessageLimit } from '../../src/loop/message-limit.ts'
import { opening, openStage, readAll, SESSION, seed } from './stage.ts'

const delta = (text: string): ModelPart => ({ type: 'block-delta', index: 0, text })

function firstProblem(parts: Iterable<ModelPart>): string | undefined {
  const failureOf = createMessageLimit()
  for (const part of parts) {
    const failure = failureOf(part)
    if (failure) return failure.error.message
  }
  return undefined
}

test('text, arguments, thinking and signatures count together', () => {
  const million = 'x'.repeat(1_000_000)
  const parts: readonly ModelPart[] = [
    delta(million),
    { type: 'block-delta', index: 1, input_text: million },
    { type: 'block-delta', index: 2, thinking: million },
    { type: 'block-delta', index: 2, signature: million },
  ]
  expect(firstProblem(parts)).toBeUndefined()
  expect(firstProblem([...parts, delta('x')])).toBe('The model’s message has more than 4000000 characters.')
})

test('citations count, and so does data that only the provider reads', () => {
  const cited: ModelPart = { type: 'block-delta', index: 0, citation: { url: 'https://a.example' } }
  const citations = Array.from({ length: 2_000 }, () => cited)
  expect(firstProblem(citations)).toBeUndefined()
  expect(firstProblem([...citations, cited])).toBe('The model’s message has more than 2000 citations.')
  const data = { result: 'x'.repeat(16_000_000) }
  const parts: readonly ModelPart[] = [
    { type: 'block-start', index: 0, kind: 'file', data },
    { type: 'block-end', index: 0, opaque: { provider: 'p', data } },
  ]
  expect(firstProblem(parts.slice(0, 1))).toBeUndefined()
  expect(firstProblem(parts)).toBe('The model’s message has more than 32000000 characters of data.')
})

test('text that is no Unicode weighs more, a character in two deltas does not end the message', () => {
  expect(firstProblem([delta('\ud800'.repeat(300_000))])).toContain('4000000 characters')
  const halves = Array.from({ length: 20_000 }, (_, n) => delta(n % 2 === 0 ? '\ud83d' : '\ude00'))
  expect(firstProblem(halves)).toBeUndefined()
})

test('a message with more than 1,000 blocks fails the run', async () => {
  const model: Model = {
    provider: 'endless',
    id: 'endless',
    async *stream() {
      yield { type: 'start', provider_message_id: 'm', model: 'endless' }
      for (let index = 0; ; index++) {
        yield { type: 'block-start', index, kind: 'text' }
        yield { type: 'block-end', index }
      }
    },
  }
  const store = createMemoryStore()
  await seed(store, opening('go'))
  const stage = openStage(store, model)
  await stage.runtime.start()
  stage.runtime.wake(SESSION)
  await stage.runtime.settled()
  await stage.runtime.stop()
  expect(stage.errors).toEqual([])
  const failed = (await readAll(store)).map(({ ev }) => ev).findLast(ev => ev.type === 'run.failed')
  expect(failed).toMatchObject({
    error: { code: 'model_error', message: 'The model’s message has more than 1000 blocks.' },
  })
})

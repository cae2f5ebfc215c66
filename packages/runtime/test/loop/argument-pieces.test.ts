import type { Model, Rec } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { expect, test } from 'vitest'
import { opening, openStage, readAll, SESSION, seed } from './stage.ts'

const NONE = { input: 0, output: 0, cache_read: 0, cache_write: 0, reasoning: 0 }

/** The log of a run whose model writes the arguments of one call in these pieces. */
async function logOf(pieces: Iterable<string>): Promise<readonly Rec[]> {
  const model: Model = {
    provider: 'pieces',
    id: 'pieces',
    async *stream(request) {
      yield { type: 'start', provider_message_id: 'm', model: 'pieces' }
      if (request.messages.some(said => said.role === 'tool'))
        return yield { type: 'end', stop_reason: 'stop', finish: 'stop', usage: NONE }
      yield { type: 'block-start', index: 0, kind: 'tool_use', tool: { id: 'toolu_1', name: 'peek' } }
      for (const input_text of pieces) yield { type: 'block-delta', index: 0, input_text }
      yield { type: 'block-end', index: 0 }
      yield { type: 'end', stop_reason: 'tool_calls', finish: 'tool_calls', usage: NONE }
    },
  }
  const stage = openStage(createMemoryStore(), model)
  await seed(stage.store, opening('go'))
  await stage.runtime.start()
  stage.runtime.wake(SESSION)
  await stage.runtime.settled()
  await stage.runtime.stop()
  return await readAll(stage.store)
}

function* cut(text: string, length: number): Generator<string> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length)
}

test('arguments are all their pieces in order, also where a piece looks like a beginning', async () => {
  const pieces = ['{"at":', '"', '{', '[1]', '{"at":"x"}', '}', '"', '}']
  const log = (await logOf(pieces)).map(rec => rec.ev)
  const made = log.find(ev => ev.type === 'block.completed' && ev.input_text !== undefined)
  expect(made).toMatchObject({ input_text: pieces.join('') })
})

test('a megabyte of arguments in pieces of 16 is a few hundred events in the log, with every piece in them', async () => {
  const text = JSON.stringify({ content: 'x'.repeat(1_000_000) })
  const log = await logOf(cut(text, 16))
  const pieces = log.flatMap(({ ev }) =>
    ev.type === 'block.delta' && ev.input_text !== undefined ? [ev.input_text] : [],
  )
  expect(pieces.join('') === text).toBe(true)
  expect(pieces.length).toBeLessThan(1000)
  // Once in pieces, once whole, and with the call as text and as value: no event repeats what came before it.
  expect(JSON.stringify(log).length).toBeLessThan(5 * text.length)
})

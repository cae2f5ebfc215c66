import { afterEach, expect, test } from 'vitest'
import { stickerForm, stickerRequest, toStickerAnswer } from '../../src/tools/builtin/sticker-request.ts'
import { createStage, type Stage, textOf } from './stage.ts'

let stage: Stage | undefined
function open(client_tools = [stickerRequest]): Stage {
  stage = createStage({ tools: [], client_tools })
  return stage
}
afterEach(() => {
  stage?.close()
  stage = undefined
})
const ask = (s: Stage) => s.one('StickerRequest', { trigger: 'stickers please' })
const names = (s: Stage) =>
  s
    .system()
    .specs(s.scope)
    .map(spec => spec.name)

test('the form is offered only to a client that can show it', async () => {
  expect(names(open())).toContain('StickerRequest')
  stage?.close()
  const s = open([])
  expect(names(s)).not.toContain('StickerRequest')
  expect(textOf(await ask(s))).toContain('No such tool available')
})

test('the call waits for the person, over a restart too, and goes on with the answer', async () => {
  const s = open()
  const call = await ask(s)
  expect(s.events('tool.client_requested')).toHaveLength(1)
  expect(call.outcome).toBeUndefined()
  s.restart()
  const { output_text, is_error } = toStickerAnswer({ output_text: 'submitted', is_error: false })
  s.answerClient(call, output_text, is_error)
  await s.settle()
  expect(textOf(s.state().calls[0])).toContain('form was sent')
  expect(s.events('tool.client_requested')).toHaveLength(1)
})

test('nothing of the form is kept, whatever a client sends along', () => {
  const form = Object.fromEntries(stickerForm.map(field => [field.name, `secret ${field.name}`]))
  const sent = toStickerAnswer({
    output_text: JSON.stringify({ status: 'submitted', ...form }),
    is_error: false,
  })
  expect(sent.is_error).toBe(false)
  expect(sent.output_text).not.toContain('secret')
  expect(toStickerAnswer(sent)).toEqual(sent)
  expect(stickerForm.every(field => field.private)).toBe(true)
})

test.each(['cancelled', '{"status":"cancelled","name":"secret"}', '{"name":"secret"}', '', '[', 'null'])(
  'anything but a clear yes is a cancelled request: %s',
  output_text => {
    expect(toStickerAnswer({ output_text, is_error: false })).toEqual({
      output_text: 'Sticker request cancelled',
      is_error: true,
    })
  },
)

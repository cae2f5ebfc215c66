import { afterEach, expect, test } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { stickerForm, stickerRequest, toStickerAnswer } from '../src/builtin/sticker-request.ts'
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

test('the call waits for the user, over a restart too, and continues with the answer', async () => {
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

test('the server offers the form when a setting says so, and not otherwise', () => {
  const offered = (sticker_request?: boolean) =>
    createBuiltinTools({ sticker_request }).map(tool => tool.name)
  expect(offered()).not.toContain('StickerRequest')
  expect(offered(true)).toContain('StickerRequest')
})

test('a form that the server offers is handed to the client with its fields, and ends with its answer', async () => {
  stage = createStage({ tools: createBuiltinTools({ sticker_request: true }) })
  const s = stage
  expect(
    s
      .system()
      .specs(s.scope)
      .find(spec => spec.name === 'StickerRequest'),
  ).toEqual(stickerRequest)
  const call = await ask(s)
  expect(s.events('tool.ready')[0]).toMatchObject({
    executor: 'client',
    view: { kind: 'form', body: { fields: stickerForm } },
  })
  expect(s.events('tool.client_requested')).toHaveLength(1)
  s.restart()
  s.answerClient(call, 'Sticker request cancelled', true)
  await s.settle()
  expect(textOf(s.state().calls[0])).toBe('Sticker request cancelled')
  expect(s.events('tool.started')).toEqual([])
})

test.each(['openai-chat', 'anthropic-messages'])(
  'a client of the wire %s is never handed a form that it did not bring',
  async protocol => {
    stage = createStage({ tools: createBuiltinTools({ sticker_request: true }) })
    const s = stage
    s.append({
      type: 'run.started',
      ts: new Date().toISOString(),
      run_id: 'run_2',
      conversation_id: 'c',
      trigger: 'message',
      client_tools: [],
      model: 'demo',
      via: { protocol },
    })
    expect(names(s)).not.toContain('StickerRequest')
    expect(textOf(await ask(s))).toContain('No such tool available')
  },
)

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

import type { ContentPart, HistoryMessage, ModelRequest, SessionEvent } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { expect, test } from 'vitest'
import { boundMedia, MEDIA_BUDGET } from '../../src/loop/bound-media.ts'
import { scriptedModel } from './scripted-model.ts'
import { opening, openStage, SESSION, seed } from './stage.ts'

/** The beginning of a PNG, in eight characters of base64. */
const PNG = 'iVBORw0K'
const image = (data: string, title?: string): ContentPart => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: PNG + data },
  ...(title === undefined ? {} : { title }),
})
const user = (...content: ContentPart[]): HistoryMessage => ({ role: 'user', content })
const read = (...content: ContentPart[]): HistoryMessage => ({
  role: 'tool',
  results: [{ type: 'tool_result', call_id: 'c', name: 'Read', output_text: '', content, is_error: false }],
})
const kinds = (messages: readonly HistoryMessage[]): readonly string[] =>
  messages.flatMap(m =>
    m.role === 'tool'
      ? m.results.flatMap(r => r.content.map(part => part.type))
      : m.role === 'assistant'
        ? []
        : m.content.map(part => part.type),
  )

test('beyond the number the oldest are dropped, wherever they are, and a sentence replaces them', () => {
  const messages = [user(image('a', 'plan.png')), read(image('b')), user(image('c'))]
  const bound = boundMedia(messages, { ...MEDIA_BUDGET, count: 2 })
  expect(kinds(bound)).toEqual(['text', 'image', 'image'])
  expect(JSON.stringify(bound[0])).toMatch(/The image \\"plan.png\\" that was here is left out: newer ones/)
})

test('the sum of their data counts, and newer ones stay', () => {
  const messages = [user(image('x'.repeat(60))), read(image('y'.repeat(50))), user(image('z'.repeat(40)))]
  expect(kinds(boundMedia(messages, { count: 9, total: 95 + 2 * PNG.length, each: 100 }))).toEqual([
    'text',
    'image',
    'image',
  ])
})

test('one unacceptable image is omitted, and costs the others nothing', () => {
  const messages = [user(image('ok')), read(image('x'.repeat(200))), user(image('ok'))]
  const bound = boundMedia(messages, { count: 2, total: 150, each: 100 })
  expect(kinds(bound)).toEqual(['image', 'text', 'image'])
  expect(JSON.stringify(bound[1])).toContain('larger than a model takes')
})

test('a document that no request has room for is omitted for that, and costs the others nothing', () => {
  const pdf = given('document', 'application/pdf', `%PDF-${'x'.repeat(200)}`)
  const bound = boundMedia([user(image('ok')), user(pdf)], { count: 2, total: 150, each: 1000 })
  expect(kinds(bound)).toEqual(['image', 'text'])
  expect(JSON.stringify(bound[1])).toContain('larger than a model takes')
})

const given = (type: 'image' | 'document', media_type: string, bytes: string | Uint8Array): ContentPart => ({
  type,
  source: { type: 'base64', media_type, data: Buffer.from(bytes).toString('base64') },
})

test.each([
  ['words', given('image', 'image/png', 'this is no picture at all')],
  ['nothing', given('image', 'image/png', '')],
  ['a drawing in words', given('image', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['a page of the web', given('document', 'application/pdf', '<!doctype html><p>not found</p>')],
])(
  '%s that claims to be an image or a PDF never reaches a model, and the rest of the message does',
  (_, part) => {
    const [bound] = boundMedia([user({ type: 'text', text: 'look' }, part)])
    expect(kinds([bound as HistoryMessage])).toEqual(['text', 'text'])
    expect(JSON.stringify(bound)).toMatch(/is left out: its data is no (image|PDF)/)
  },
)

test('an image with a wrong type gets its actual type', () => {
  const jpeg = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 16)
  const bound = boundMedia([read(given('image', 'image/png', jpeg)), user(given('image', 'image/jpg', jpeg))])
  expect(JSON.stringify(bound).match(/image\/\w+/g)).toEqual(['image/jpeg', 'image/jpeg'])
})

test('kinds that only some models take, addresses and real documents are left as they are', () => {
  const heic = Uint8Array.of(0, 0, 0, 24, 0x66, 0x74, 0x79, 0x70, 0x68, 0x65, 0x69, 0x63)
  const messages = [
    user(
      given('image', 'image/heic', heic),
      given('image', 'image/bmp', 'BM0000'),
      given('document', 'application/pdf', '\n%PDF-1.7 and so on'),
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' } },
    ),
  ]
  expect(boundMedia(messages)).toBe(messages)
})

test('what fits is the very same', () => {
  const messages = [user(image('a'), { type: 'text', text: 'hi' })]
  expect(boundMedia(messages)).toBe(messages)
})

test('the bound is kept by every request, while the log keeps everything', async () => {
  const seen: ModelRequest[] = []
  const stage = openStage(createMemoryStore(), scriptedModel([], seen))
  const [created, input] = opening('look')
  const many = Array.from({ length: MEDIA_BUDGET.count + 3 }, (_, i) => image(`p${i}`))
  await seed(stage.store, [created, { ...input, content: many }] as SessionEvent[])
  await stage.runtime.start()
  stage.runtime.wake(SESSION)
  await stage.runtime.settled()
  const sent = kinds(seen[0]?.messages ?? [])
  expect(sent.filter(kind => kind === 'image')).toHaveLength(MEDIA_BUDGET.count)
  expect(sent.slice(0, 4)).toEqual(['text', 'text', 'text', 'image'])
  await stage.runtime.stop()
})

import type { ContentPart, HistoryMessage, ModelRequest, SessionEvent } from '@toolwire/core'
import { createMemoryStore } from '@toolwire/store'
import { expect, test } from 'vitest'
import { boundMedia, MEDIA_BUDGET } from '../../src/loop/bound-media.ts'
import { scriptedModel } from './scripted-model.ts'
import { opening, openStage, SESSION, seed } from './stage.ts'

const image = (data: string, title?: string): ContentPart => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data },
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

test('beyond the number the oldest give way, wherever they are, and a sentence stands in their place', () => {
  const messages = [user(image('a', 'plan.png')), read(image('b')), user(image('c'))]
  const bound = boundMedia(messages, { ...MEDIA_BUDGET, count: 2 })
  expect(kinds(bound)).toEqual(['text', 'image', 'image'])
  expect(JSON.stringify(bound[0])).toMatch(/The image \\"plan.png\\" that was here is left out: newer ones/)
})

test('the sum of their data counts, and newer ones stay', () => {
  const messages = [user(image('x'.repeat(60))), read(image('y'.repeat(50))), user(image('z'.repeat(40)))]
  expect(kinds(boundMedia(messages, { count: 9, total: 95, each: 100 }))).toEqual(['text', 'image', 'image'])
})

test('one picture that no model takes is left out, and costs the others nothing', () => {
  const messages = [user(image('ok')), read(image('x'.repeat(200))), user(image('ok'))]
  const bound = boundMedia(messages, { count: 2, total: 150, each: 100 })
  expect(kinds(bound)).toEqual(['image', 'text', 'image'])
  expect(JSON.stringify(bound[1])).toContain('larger than a model takes')
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

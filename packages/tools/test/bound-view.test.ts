/** How a call shows itself: recorded with its arguments, and never as large as they may be. */
import { afterEach, expect, test } from 'vitest'
import { createStage, type Stage } from './stage.ts'
import { simple } from './test-tools.ts'

let stage: Stage | undefined
afterEach(() => {
  stage?.close()
  stage = undefined
})

/** A tool that shows all that it is given. */
const show = simple('Show', {
  isReadOnly: () => false,
  view: input => ({ title: 'a title', kind: 'any', body: { input } }),
  async *call() {
    yield { type: 'result', output_text: 'shown' }
  },
})

async function recorded(input: object) {
  stage?.close()
  stage = createStage({ tools: [show] })
  await stage.one('Show', input)
  return stage.records.flatMap(({ ev }) => {
    if (ev.type === 'tool.ready') return [ev.view]
    return ev.type === 'tool.approval_requested' ? [(ev.details as { readonly view?: unknown }).view] : []
  })
}

test('a small display is recorded as it is, with the call and with the question about it', async () => {
  const whole = { title: 'a title', kind: 'any', body: { input: { text: 'small' } } }
  expect(await recorded({ text: 'small' })).toEqual([whole, whole])
})

test('a large display is recorded without its body, which would repeat the arguments', async () => {
  const head = { title: 'a title', kind: 'any' }
  expect(await recorded({ text: 'x'.repeat(100_000) })).toEqual([head, head])
})

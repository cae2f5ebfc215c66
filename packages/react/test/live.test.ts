/** The parts against the real server: what a person does reaches the log, what the log says reaches the page. */
import './dom.ts'
import { createElement, type ReactNode } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Composer, Conversation, SessionProvider, useClientTool } from '../src/index.ts'
import { setUpLivePage } from './live-page.ts'

const { client, place, found, click, type } = setUpLivePage()

let root: Root
beforeEach(() => {
  root = createRoot(place())
})
afterEach(() => root.unmount())

async function show(...parts: ReactNode[]): Promise<string> {
  const { id } = await client().sessions.create()
  const given = { client: client(), sessionId: id }
  root.render(createElement(SessionProvider, given, createElement(Conversation), ...parts))
  return id
}

test('a message is sent, a call runs, and the answer with its statistics is drawn', async () => {
  await show(createElement(Composer))
  await type('[data-tw-part="composer"] textarea', 'list the files')
  await click('[data-tw-part="send"]:not(:disabled)')
  await found('[data-tool="Bash"][data-state="success"]')
  await found('[data-tw-part="turn-footer"] [data-stat="tokens-in"]')
  expect(place().textContent).toContain('README.md')
  expect(place().querySelector<HTMLTextAreaElement>('textarea')?.value).toBe('')
})

test('a decision is shown when the log has it, with its reason', async () => {
  const id = await show()
  await client().send(id, '/ask')
  await click('[data-state="awaiting_approval"] [data-tw-part="deny"]')
  await type('[data-tw-part="form"] textarea', 'not today')
  await click('[data-tw-part="submit"]:not(:disabled)')
  await found('[data-tw-part="tool-call"][data-state="denied"]')
  expect(place().querySelector('[data-tw-part="approval"]')).toBeNull()
  const { events } = await client().sessions.export(id)
  expect(JSON.stringify(events)).toContain('not today')
})

test('a tool of the page runs while its component is there', async () => {
  const calls: unknown[] = []
  const schema = { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] }
  function Tool() {
    useClientTool('set_temperature', {
      description: 'Sets the temperature.',
      input_schema: schema,
      handler: input => {
        calls.push(input)
        return 'warm'
      },
    })
    return null
  }
  await show(createElement(Tool), createElement(Composer))
  await type('[data-tw-part="composer"] textarea', 'set the temperature to 0.8')
  await click('[data-tw-part="send"]:not(:disabled)')
  await found('[data-tool="set_temperature"][data-state="success"]')
  expect(calls).toEqual([{ value: 0.8 }])
})

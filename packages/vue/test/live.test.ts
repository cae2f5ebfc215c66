/** The parts against the real server: what a person does reaches the log, what the log says reaches the page. */
import '../../react/test/dom.ts'
import { afterEach, expect, test } from 'vitest'
import { type App, type Component, createApp, defineComponent, h } from 'vue'
import { setUpLivePage } from '../../react/test/live-page.ts'
import { Composer, Conversation, SessionProvider, useClientTool } from '../src/index.ts'

const { client, place, found, click, type } = setUpLivePage()

let app: App | undefined
afterEach(() => app?.unmount())

async function show(...parts: Component[]): Promise<string> {
  const { id } = await client().sessions.create()
  const given = { client: client(), sessionId: id }
  app = createApp(() => h(SessionProvider, given, () => [Conversation, ...parts].map(part => h(part))))
  app.mount(place())
  return id
}

test('a message is sent, a call runs, and the answer with its statistics is drawn', async () => {
  await show(Composer)
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

test('an opened card stays open, and closes again', async () => {
  const id = await show()
  await client().send(id, 'run `echo one two`')
  await found('[data-tool="Bash"][data-state="success"][data-open="false"]')
  await click('[data-tool="Bash"] [data-tw-part="tool-header"]')
  await found('[data-tool="Bash"][data-open="true"] [data-tw-part="terminal"]')
  expect(place().querySelector('[data-tw-part="terminal"]')?.textContent).toContain('one two')
  await click('[data-tool="Bash"] [data-tw-part="tool-header"]')
  await found('[data-tool="Bash"][data-open="false"]')
})

test('a tool of the page runs while its component is there', async () => {
  const calls: unknown[] = []
  const Tool = defineComponent(() => {
    useClientTool('set_temperature', {
      description: 'Sets the temperature.',
      input_schema: { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] },
      handler: input => {
        calls.push(input)
        return 'warm'
      },
    })
    return () => null
  })
  await show(Tool, Composer)
  await type('[data-tw-part="composer"] textarea', 'set the temperature to 0.8')
  await click('[data-tw-part="send"]:not(:disabled)')
  await found('[data-tool="set_temperature"][data-state="success"]')
  expect(calls).toEqual([{ value: 0.8 }])
})

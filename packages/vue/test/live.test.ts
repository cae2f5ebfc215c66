/** The parts against the real server: what a person does reaches the log, what the log says reaches the page. */
import './dom.ts'
import { createClient } from '@toolwire/client'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type App, type Component, createApp, defineComponent, h, onUpdated } from 'vue'
import { inFolder, launch } from '../../cli/test/launch.ts'
import { Composer, Conversation, SessionProvider, useCall, useClientTool } from '../src/index.ts'

let url: string
let stop: () => Promise<unknown>
let folder: Promise<void>
beforeAll(async () => {
  const ready = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  folder = inFolder(async dir => {
    const server = await launch(dir, ['--port', '0', '--data', `${dir}/data`])
    url = server.url
    stop = async () => {
      await server.stop()
      over.resolve()
    }
    ready.resolve()
    await over.promise
  })
  await ready.promise
})
afterAll(async () => {
  await stop()
  await folder
})

let place: HTMLElement
let app: App | undefined
let client: ReturnType<typeof createClient>
beforeEach(() => {
  place = document.createElement('div')
  document.body.append(place)
  client = createClient({ baseUrl: url })
})
afterEach(() => {
  app?.unmount()
  place.remove()
  client.close()
})

function mount(sessionId: string, ...parts: Component[]): void {
  app = createApp({
    render: () => h(SessionProvider, { client, sessionId }, () => parts.map(part => h(part))),
  })
  app.mount(place)
}

async function show(...parts: Component[]): Promise<string> {
  const { id } = await client.sessions.create()
  mount(id, Conversation, ...parts)
  return id
}

const found = (selector: string) =>
  expect.poll(() => place.querySelector(selector), { timeout: 20_000 }).not.toBeNull()

async function click(selector: string): Promise<void> {
  await found(selector)
  place.querySelector<HTMLElement>(selector)?.click()
}

async function type(selector: string, text: string): Promise<void> {
  await found(selector)
  const area = place.querySelector<HTMLTextAreaElement>(selector)
  if (area) area.value = text
  area?.dispatchEvent(new Event('input', { bubbles: true }))
}

test('a message is sent, a call runs, and the answer with its statistics is drawn', async () => {
  await show(Composer)
  await type('[data-tw-part="composer"] textarea', 'list the files')
  await click('[data-tw-part="send"]:not(:disabled)')
  await found('[data-tool="Bash"][data-state="success"]')
  await found('[data-tw-part="turn-footer"] [data-stat="tokens-in"]')
  expect(place.textContent).toContain('README.md')
  expect(place.querySelector<HTMLTextAreaElement>('textarea')?.value).toBe('')
})

test('a decision is shown when the log has it, with its reason', async () => {
  const id = await show()
  await client.send(id, '/ask')
  await click('[data-state="awaiting_approval"] [data-tw-part="deny"]')
  await type('[data-tw-part="form"] textarea', 'not today')
  await click('[data-tw-part="submit"]:not(:disabled)')
  await found('[data-tw-part="tool-call"][data-state="denied"]')
  expect(place.querySelector('[data-tw-part="approval"]')).toBeNull()
  const { events } = await client.sessions.export(id)
  expect(JSON.stringify(events)).toContain('not today')
})

test('an opened card stays open, and closes again', async () => {
  const id = await show()
  await client.send(id, 'run `echo one two`')
  await found('[data-tool="Bash"][data-state="success"][data-open="false"]')
  await click('[data-tool="Bash"] [data-tw-part="tool-header"]')
  await found('[data-tool="Bash"][data-open="true"] [data-tw-part="terminal"]')
  expect(place.querySelector('[data-tw-part="terminal"]')?.textContent).toContain('one two')
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

test('a card is drawn again only when its own call changes', async () => {
  const session = await client.sessions.create()
  await client.send(session.id, 'list the files')
  await client.session(session.id).until(({ view }) => view.turns.at(-1)?.state === 'completed')
  const [first] = client.session(session.id).getSnapshot().view.calls.values()
  let updates = 0
  const Count = defineComponent(() => {
    const call = useCall(() => first?.id ?? '')
    onUpdated(() => {
      updates += 1
    })
    return () => h('p', call.value?.state)
  })
  mount(session.id, Count)
  await client.send(session.id, '/long 200')
  await client
    .session(session.id)
    .until(({ view }) => view.turns.length === 2 && view.turns.at(-1)?.state === 'completed')
  expect(place.textContent).toBe('success')
  expect(updates).toBe(0)
})

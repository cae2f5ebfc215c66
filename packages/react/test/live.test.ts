/** The parts against the real server: what a person does reaches the log, what the log says reaches the page. */
import './dom.ts'
import { createClient } from '@toolwire/client'
import { createElement, type ReactNode } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
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
let root: Root
let client: ReturnType<typeof createClient>
beforeEach(() => {
  place = document.createElement('div')
  document.body.append(place)
  root = createRoot(place)
  client = createClient({ baseUrl: url })
})
afterEach(() => {
  root.unmount()
  place.remove()
  client.close()
})

async function show(...parts: ReactNode[]): Promise<string> {
  const { id } = await client.sessions.create()
  root.render(
    createElement(SessionProvider, { client, sessionId: id }, createElement(Conversation), ...parts),
  )
  return id
}

const found = <T extends Element = HTMLElement>(selector: string) =>
  expect.poll(() => place.querySelector<T>(selector), { timeout: 20_000 }).not.toBeNull()

async function click(selector: string): Promise<void> {
  await found(selector)
  place.querySelector<HTMLElement>(selector)?.click()
}

/** As a browser does it: the value, then the event. */
async function type(selector: string, text: string): Promise<void> {
  await found(selector)
  const area = place.querySelector<HTMLTextAreaElement>(selector)
  const { set } = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value') ?? {}
  set?.call(area, text)
  area?.dispatchEvent(new Event('input', { bubbles: true }))
}

test('a message is sent, a call runs, and the answer with its statistics is drawn', async () => {
  await show(createElement(Composer))
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
  await click('[data-tw-part="submit"]')
  await found('[data-tw-part="tool-call"][data-state="denied"]')
  expect(place.querySelector('[data-tw-part="approval"]')).toBeNull()
  const { events } = await client.sessions.export(id)
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

test('a card is drawn again only when its own call changes', async () => {
  const drawn: Record<string, number> = {}
  function Count({ id }: { readonly id: string }) {
    useCall(id)
    drawn[id] = (drawn[id] ?? 0) + 1
    return null
  }
  const session = await client.sessions.create()
  await client.send(session.id, 'list the files')
  await client.session(session.id).until(({ view }) => view.turns.at(-1)?.state === 'completed')
  const [first] = client.session(session.id).getSnapshot().view.calls.values()
  const id = first?.id ?? ''
  root.render(createElement(SessionProvider, { client, sessionId: session.id }, createElement(Count, { id })))
  await expect.poll(() => drawn[id]).toBe(1)
  await client.send(session.id, '/long 200')
  await client
    .session(session.id)
    .until(({ view }) => view.turns.length === 2 && view.turns.at(-1)?.state === 'completed')
  expect(drawn[id]).toBe(1)
})

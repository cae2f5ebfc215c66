/** Scenarios that every version of useChat passes in a browser, against the real server with the demo model. */
import { expect, test } from 'vitest'
import { setHidden } from '../../apps/web/test/product.ts'
import { anotherTab, type ChatPage, eventually, idOf, openChat, reload, savedTalk } from './chat-page.ts'
import type { Stage } from './chat-stage.ts'

export interface ChatVersion {
  /** Major version of `ai`; it has the base path. */
  readonly dialect: 5 | 6 | 7
}

/** An image of one pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

export function testChat(stage: () => Stage, { dialect }: ChatVersion): void {
  const base = `/api/ai/v${dialect}/chat`
  const open = () => openChat(stage().browser, stage().server.url)
  const json = async (path: string) => (await fetch(stage().server.url + path)).json()
  const saved = (chat: ChatPage) => savedTalk(stage().server.url + base, chat)
  /** A response that is half read. */
  const half = async (): Promise<ChatPage> => {
    const chat = await open()
    await chat.say('/long 900')
    await eventually(async () => (await chat.last()).length).toBeGreaterThan(50)
    return chat
  }

  test('text and reasoning, and a reload shows the same messages', async () => {
    const chat = await open()
    await chat.say('/think')
    await chat.rest()
    await eventually(chat.last).not.toBe('')
    expect(await chat.page.locator('[data-part="reasoning"]').count()).toBe(1)
    const before = [await chat.talk(), await chat.ids()]
    await reload(chat)
    expect([await chat.talk(), await chat.ids()]).toEqual(before)
    expect(chat.problems).toEqual([])
    await chat.close()
  })

  test('parallel calls, a call that fails, and one whose arguments are not JSON', async () => {
    const chat = await open()
    await chat.say('/parallel 3')
    await eventually(chat.calls).toEqual(['output-available', 'output-available', 'output-available'])
    await chat.rest()
    for (const [at, text] of [
      [3, '/error'],
      [4, '/badjson'],
    ] as const) {
      await chat.say(text)
      await eventually(async () => (await chat.calls()).slice(at)).toEqual(['output-error'])
      await chat.rest()
    }
    await reload(chat)
    expect(await chat.calls()).toHaveLength(5)
    expect(chat.problems).toEqual([])
    await chat.close()
  })

  test('a tool of the page answers by itself, in the same message', async () => {
    const chat = await open()
    await chat.say('set the temperature to 23')
    await eventually(() => chat.page.locator('[data-part="heater"]').innerText()).toBe('23°')
    await eventually(chat.calls).toEqual(['output-available'])
    await eventually(chat.last).not.toBe('')
    await chat.rest()
    expect(await chat.ids()).toHaveLength(2)
    expect(await saved(chat)).toEqual(await chat.talk())
    await chat.close()
  })

  test('a tool of the page that throws reports its failure', async () => {
    const chat = await open()
    await chat.say('set the temperature to 99')
    await eventually(chat.calls).toEqual(['output-error'])
    await eventually(chat.last).not.toBe('')
    await chat.rest()
    expect(await saved(chat)).toEqual(await chat.talk())
    await chat.close()
  })

  test('a call of a page tool is run by the page that comes back', async () => {
    const chat = await open()
    const tools = { set_temperature: { description: 'Sets the temperature.', parameters: SCHEMA } }
    const user = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'set the temperature to 19' }] }
    const sent = await fetch(stage().server.url + base, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: idOf(chat), messages: [user], trigger: 'submit-message', tools }),
    })
    expect(await sent.text()).toContain('"finishReason":"tool-calls"')
    await reload(chat)
    await eventually(() => chat.page.locator('[data-part="heater"]').innerText()).toBe('19°')
    await eventually(async () => JSON.stringify(await json(`${base}/${idOf(chat)}/messages`))).toContain(
      '"output-available"',
    )
    await chat.rest()
    await reload(chat)
    expect(await chat.calls()).toEqual(['output-available'])
    expect(await chat.page.locator('[data-part="heater"]').innerText()).toBe('20°')
    await chat.close()
  })

  test('another answer, and an edit of the first message', async () => {
    const chat = await open()
    for (const text of ['hello', 'what can you do']) {
      await chat.say(text)
      await chat.rest()
      await eventually(chat.last).not.toBe('')
    }
    const ids = await chat.ids()
    await chat.press('regenerate')
    await eventually(async () => (await chat.ids())[3] !== ids[3] && (await chat.ids()).length === 4).toBe(
      true,
    )
    await chat.rest()
    expect(await saved(chat)).toEqual(await chat.talk())
    const editor = chat.page.locator('[data-part="edit"]').first()
    await editor.fill('set the temperature to 21')
    await editor.press('Enter')
    await eventually(() => chat.page.locator('[data-part="heater"]').innerText()).toBe('21°')
    await eventually(chat.last).not.toBe('')
    await chat.rest()
    expect(await chat.talk()).toHaveLength(2)
    expect(await saved(chat)).toEqual(await chat.talk())
    expect(chat.problems).toEqual([])
    await chat.close()
  })

  test('an image and a text file reach the server, and a reload shows them', async () => {
    const chat = await open()
    await chat.page.setInputFiles('[type="file"]', [
      { name: 'dot.png', mimeType: 'image/png', buffer: PIXEL },
      { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('a note') },
    ])
    await chat.say('look at these')
    await chat.rest()
    await eventually(chat.last).not.toBe('')
    const files = () => chat.page.locator('article').first().locator('[data-part="file"]').allTextContents()
    const before = await files()
    expect(before).toEqual(['dot.png image/png', 'note.txt text/plain'])
    await reload(chat)
    expect(await files()).toEqual(before)
    await chat.close()
  })

  test('stop ends the run, and every tab shows the half text', async () => {
    const chat = await half()
    const tab = await anotherTab(chat)
    await eventually(tab.last).not.toBe('')
    await chat.press('stop')
    await Promise.all([chat.rest(), tab.rest()])
    expect((await fetch(`${stage().server.url}${base}/${idOf(chat)}/stream`)).status).toBe(204)
    await reload(chat)
    await reload(tab)
    expect(await tab.talk()).toEqual(await chat.talk())
    expect((await chat.last()).split(/\s+/).length).toBeLessThan(900)
    await chat.close()
  })

  test('a reload in the middle of a text continues it, and a second tab reads the same and writes', async () => {
    const chat = await half()
    const tab = await anotherTab(chat)
    await reload(chat)
    await Promise.all([chat.rest(), tab.rest()])
    const resumed = stage().server.requests.filter(
      ({ path }) => path.includes(idOf(chat)) && path.endsWith('/stream'),
    )
    expect(resumed.map(({ status }) => status)).toContain(200)
    expect(await tab.talk()).toEqual(await chat.talk())
    expect((await chat.last()).split(/\s+/).length).toBeGreaterThan(800)
    await tab.say('hello')
    await eventually(async () => (await tab.talk()).length).toBe(4)
    await tab.rest()
    await eventually(tab.last).not.toBe('')
    await reload(chat)
    expect(await chat.talk()).toEqual(await tab.talk())
    await chat.close()
  })

  test('a cut line is an error in the page, and the run continues', async () => {
    const chat = await half()
    stage().server.cut()
    await chat.rest('error')
    if (dialect === 7) {
      // Only version 7 rebuilds the message in the page; the others show it twice until a reload.
      await setHidden(chat.page, true)
      await setHidden(chat.page, false)
      await chat.rest()
      expect((await chat.last()).split(/\s+/).length).toBeGreaterThan(800)
    }
    const live = await chat.ids()
    await reload(chat)
    await chat.rest()
    await eventually(async () => (await chat.last()).split(/\s+/).length).toBeGreaterThan(800)
    await chat.rest()
    expect(await chat.ids()).toEqual(live)
    expect(await saved(chat)).toEqual(await chat.talk())
    await chat.close()
  })

  test('a killed server continues the same message after its restart', async () => {
    const chat = await half()
    const ids = await chat.ids()
    await stage().crash()
    await reload(chat)
    await chat.rest()
    await eventually(() => saved(chat)).toHaveLength(2)
    await eventually(
      async () => (await fetch(`${stage().server.url}${base}/${idOf(chat)}/stream`)).status,
    ).toBe(204)
    await reload(chat)
    expect(await chat.ids()).toEqual(ids)
    expect((await chat.last()).split(/\s+/).length).toBeGreaterThan(800)
    await chat.close()
  })

  test('a rejection before the stream is shown as its sentence, and a retry works', async () => {
    const chat = await open()
    stage().server.failNext('POST', 429, 'Too many requests. Try again in a minute.')
    await chat.say('hello')
    await chat.rest('error')
    expect(await chat.page.getByRole('alert').innerText()).toContain('Too many requests.')
    await chat.press('retry')
    await eventually(async () => (await chat.talk()).length).toBe(2)
    await chat.rest()
    await eventually(chat.last).not.toBe('')
    expect(await saved(chat)).toEqual(await chat.talk())
    await chat.close()
  })

  test('a failed model is an error of the stream', async () => {
    const chat = await open()
    await chat.say('/fail')
    await chat.rest('error')
    expect(await chat.page.getByRole('alert').innerText()).not.toBe('')
    await chat.close()
  })

  test('a message that is sent while a response runs is answered after it', async () => {
    const chat = await half()
    await chat.say('hello')
    await eventually(() => saved(chat)).toHaveLength(4)
    await chat.rest()
    await reload(chat)
    expect((await chat.talk()).map(one => one.split(':')[0])).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ])
    await chat.close()
  })

  if (dialect === 5) return

  test('an approval outlives a reload, and the call runs in the same message', async () => {
    const chat = await open()
    await chat.say('/ask')
    await eventually(chat.calls).toEqual(['approval-requested'])
    await chat.rest()
    const ids = await chat.ids()
    await reload(chat)
    expect(await chat.calls()).toEqual(['approval-requested'])
    await chat.press('approve')
    await eventually(chat.calls).toEqual(['output-available'])
    await chat.rest()
    expect(await chat.ids()).toEqual(ids)
    expect(chat.problems).toEqual([])
    await chat.close()
  })

  test('a denied call does not run, and a second tab cannot change the decision', async () => {
    const chat = await open()
    await chat.say('/ask')
    await eventually(chat.calls).toEqual(['approval-requested'])
    await chat.rest()
    const tab = await anotherTab(chat)
    await chat.press('deny')
    await eventually(chat.calls).toEqual(['output-denied'])
    await chat.rest()
    await tab.press('approve')
    await eventually(tab.calls).toEqual(['output-denied'])
    await tab.rest()
    await reload(tab)
    expect(await tab.talk()).toEqual(await chat.talk())
    await chat.close()
  })

  test('a message behind an open approval replaces it', async () => {
    const chat = await open()
    await chat.say('/ask')
    await eventually(chat.calls).toEqual(['approval-requested'])
    await chat.rest()
    await chat.say('hello')
    await eventually(async () => (await chat.talk()).length).toBe(4)
    await chat.rest()
    await eventually(chat.last).not.toBe('')
    await reload(chat)
    expect(await chat.calls()).not.toContain('approval-requested')
    await chat.close()
  })
}

const SCHEMA = { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] }

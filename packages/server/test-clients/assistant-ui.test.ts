/** assistant-ui with its AI SDK and AG-UI runtimes in a real browser, against the real server with the demo model. */
import { describe, expect, test } from 'vitest'
import {
  anotherTab,
  type ChatPage,
  eventually,
  idOf,
  openChat,
  reload,
} from '../../../examples/test/chat-page.ts'
import { PIXEL } from '../../../examples/test/chat-scenarios.ts'
import { setUpStage } from '../../../examples/test/chat-stage.ts'
import { growthOf } from './argument-growth.ts'
import { assistantUi, buildBeside } from './front-ends.ts'
import { eventsOf, isRunning as runs, listMessages } from './server-chats.ts'

const stage = setUpStage(() => buildBeside(assistantUi, { source: 'assistant-ui', isTyped: true }))

describe.each([
  { runtime: 'AI SDK', query: '', resumes: true },
  { runtime: 'AG-UI', query: '?ag-ui', resumes: false },
])('assistant-ui with its $runtime runtime', ({ query, resumes }) => {
  const open = () => openChat(stage().browser, `${stage().server.url}/${query}`)
  const saved = async (chat: ChatPage) => toTurns(await listMessages(stage().server.url, idOf(chat)))
  const shown = async (chat: ChatPage) => toTurns(await chat.talk())
  const isRunning = (chat: ChatPage) => runs(stage().server.url, idOf(chat))
  const say = async (chat: ChatPage, text: string): Promise<void> => {
    const before = (await shown(chat)).length
    await chat.say(text)
    await eventually(async () => (await shown(chat)).length).toBe(before + 2)
    await chat.rest()
    await eventually(chat.last).not.toBe('')
  }
  /** A response that is half read. */
  const half = async (): Promise<ChatPage> => {
    const chat = await open()
    await chat.say('/long 900')
    await eventually(async () => (await chat.last()).length).toBeGreaterThan(50)
    return chat
  }

  test('text and reasoning, and a reload shows the same messages', async () => {
    const chat = await open()
    await say(chat, '/think')
    expect(await chat.page.locator('[data-part="reasoning"]').count()).toBe(1)
    const before = await shown(chat)
    await reload(chat)
    await eventually(() => shown(chat)).toEqual(before)
    expect(chat.problems).toEqual([])
    await chat.close()
  })

  test('parallel calls, a call that fails, and one whose arguments are not JSON', async () => {
    const chat = await open()
    await say(chat, '/parallel 3')
    expect(await chat.calls()).toEqual(['done', 'done', 'done'])
    await say(chat, '/error')
    expect(await chat.calls()).toHaveLength(4)
    expect(await chat.page.locator('[data-part="output"]').last().innerText()).not.toBe('')
    await say(chat, '/badjson')
    expect(await chat.calls()).toHaveLength(5)
    expect(await saved(chat)).toEqual(await shown(chat))
    await chat.close()
  })

  test('arguments are drawn while they are written', async () => {
    const chat = await open()
    const growth = await growthOf(chat.page, '[data-part="input"]')
    await say(chat, '/big 20')
    const lengths = await growth()
    expect(lengths.length).toBeGreaterThan(5)
    expect(lengths).toEqual(lengths.toSorted((a, b) => a - b))
    expect(lengths.at(-1)).toBeGreaterThan(15_000)
    await chat.close()
  })

  test('a tool of the page answers by itself', async () => {
    const chat = await open()
    await chat.say('set the temperature to 23')
    await eventually(() => chat.page.title()).toBe('23°')
    await eventually(chat.calls).toEqual(['done'])
    await eventually(chat.last).not.toBe('')
    await chat.rest()
    expect((await saved(chat)).at(-1)).toContain(await chat.last())
    await chat.close()
  })

  test('a tool of the page that throws reports its failure to the model', async () => {
    const chat = await open()
    await chat.say('set the temperature to 99')
    await eventually(chat.last).not.toBe('')
    await chat.rest()
    expect(await chat.page.locator('[data-part="output"]').last().innerText()).toContain('30 degrees at most')
    expect((await saved(chat)).at(-1)).toContain(await chat.last())
    await chat.close()
  })

  test('an approved call runs, and a denied one does not', async () => {
    const chat = await open()
    for (const [at, decision] of ['approve', 'deny'].entries()) {
      await chat.say('/ask')
      await eventually(async () => (await chat.calls())[at]).toBe('approval-requested')
      await chat.press(decision)
      await eventually(async () => (await chat.calls())[at]).not.toBe('approval-requested')
      await eventually(chat.last).not.toBe('')
      await chat.rest()
      await eventually(() => isRunning(chat)).toBe(false)
    }
    const types = (await eventsOf(stage().server.url, idOf(chat))).map(({ type }) => type)
    expect(types.filter(type => type === 'tool.completed' || type === 'tool.failed')).toEqual(['tool.completed', 'tool.failed'])
    await chat.close()
  })

  test('another answer, and an edit of the first message, are what the server has', async () => {
    const chat = await open()
    for (const text of ['hello', '/think']) await say(chat, text)
    const answers = stage().server.requests.length
    await chat.press('regenerate')
    await eventually(() => stage().server.requests.length).toBeGreaterThan(answers)
    await eventually(async () => (await shown(chat)).length).toBe(4)
    await chat.rest()
    await eventually(chat.last).not.toBe('')
    expect(await saved(chat)).toEqual(await shown(chat))
    await chat.page.locator('[data-part="edit"]').first().click()
    await chat.page.fill('[name="edit"]', 'hello again')
    await chat.press('send-edit')
    await eventually(async () => (await chat.talk())[0]).toBe('user: hello again')
    await eventually(async () => (await shown(chat)).length).toBe(2)
    await chat.rest()
    await eventually(chat.last).not.toBe('')
    expect(await saved(chat)).toEqual(await shown(chat))
    await chat.close()
  })

  test('an image reaches the server', async () => {
    const chat = await open()
    const chooser = chat.page.waitForEvent('filechooser')
    await chat.press('attach')
    await (await chooser).setFiles({ name: 'dot.png', mimeType: 'image/png', buffer: PIXEL })
    await chat.page.locator('[data-part="file"]', { hasText: 'dot.png' }).waitFor()
    await say(chat, 'look at this')
    const log = await eventsOf(stage().server.url, idOf(chat))
    const sent = log.find(({ type }) => type === 'input.message')
    expect(sent?.content).toMatchObject([
      { type: 'text', text: 'look at this' },
      { type: 'image', source: { media_type: 'image/png', data: PIXEL.toString('base64') } },
    ])
    await chat.close()
  })

  test('stop ends the run at the server', async () => {
    const chat = await half()
    await chat.press('stop')
    await chat.page.locator('[data-part="stop"]').waitFor({ state: 'detached' })
    await eventually(() => isRunning(chat)).toBe(false)
    expect(((await saved(chat)).at(-1) ?? '').split(/\s+/).length).toBeLessThan(900)
    await chat.close()
  })

  test('a reload in the middle of a text loses nothing', async () => {
    const chat = await half()
    await reload(chat)
    if (resumes) await chat.rest()
    await eventually(() => isRunning(chat)).toBe(false)
    // A runtime without resume shows the rest after another reload.
    if (!resumes) await reload(chat)
    await eventually(async () => (await chat.last()).split(/\s+/).length).toBeGreaterThan(800)
    expect(await saved(chat)).toEqual(await shown(chat))
    await say(chat, 'hello')
    expect(await saved(chat)).toEqual(await shown(chat))
    await chat.close()
  })

  test('a cut line is an error in the page, and a reload shows the whole response', async () => {
    const chat = await half()
    stage().server.cut()
    await chat.rest('error')
    await eventually(() => isRunning(chat)).toBe(false)
    await reload(chat)
    await eventually(async () => (await chat.last()).split(/\s+/).length).toBeGreaterThan(800)
    expect(await saved(chat)).toEqual(await shown(chat))
    await chat.close()
  })

  test('a second tab reads the same, and writes', async () => {
    const chat = await open()
    await say(chat, 'hello')
    const tab = await anotherTab(chat)
    await eventually(() => shown(tab)).toEqual(await shown(chat))
    await say(tab, 'what can you do')
    await reload(chat)
    await eventually(() => shown(chat)).toEqual(await shown(tab))
    expect(await saved(chat)).toEqual(await shown(tab))
    await chat.close()
  })

  test('a rejection before the stream is shown as its sentence, and the next message is answered', async () => {
    const chat = await open()
    stage().server.failNext('POST', 429, 'Too many requests. Try again in a minute.')
    await chat.say('hello')
    await chat.rest('error')
    expect(await chat.page.getByRole('alert').innerText()).toContain('Too many requests.')
    await chat.say('hello')
    await chat.rest()
    await eventually(async () => (await saved(chat)).at(-1)).toContain('assistant: ')
    await chat.close()
  })

  test('a failed model is an error in the page', async () => {
    const chat = await open()
    await chat.say('/fail')
    await chat.rest('error')
    expect(await chat.page.getByRole('alert').innerText()).not.toBe('')
    await chat.close()
  })
})

/** One runtime has a message for every answer, the other one for every message of the model. */
const toTurns = (talk: readonly string[]): readonly string[] =>
  talk.reduce<readonly string[]>((turns, one) => {
    const last = turns.at(-1)
    const isContinued = last?.startsWith('assistant: ') === true && one.startsWith('assistant: ')
    return isContinued ? [...turns.slice(0, -1), last + one.slice('assistant: '.length)] : [...turns, one]
  }, [])


/** CopilotKit in a real browser, without its runtime, against the real server with the demo model. */
import { describe, expect, test } from 'vitest'
import { eventually } from '../../../examples/test/chat-page.ts'
import { PIXEL } from '../../../examples/test/chat-scenarios.ts'
import { setUpStage } from '../../../examples/test/chat-stage.ts'
import { growthOf } from './argument-growth.ts'
import { anotherCopilot, type CopilotPage, openCopilot, toTurns } from './copilot-page.ts'
import { buildBeside, copilotKit } from './front-ends.ts'
import { eventsOf, isRunning as runs, listMessages } from './server-chats.ts'

const stage = setUpStage(() => buildBeside(copilotKit, { source: 'copilotkit', isTyped: true }))

describe.each([
  { components: 'the components of version 2', query: '', isClassic: false },
  { components: 'the classic components', query: '?classic', isClassic: true },
])('CopilotKit with $components', ({ query, isClassic }) => {
  const open = () => openCopilot(stage().browser, `${stage().server.url}/${query}`)
  const saved = async (chat: CopilotPage) => toTurns(await listMessages(stage().server.url, chat.thread()))
  const isRunning = (chat: CopilotPage) => runs(stage().server.url, chat.thread())
  const say = async (chat: CopilotPage, text: string): Promise<void> => {
    const before = (await chat.talk()).length
    await chat.say(text)
    await eventually(async () => (await chat.talk()).length).toBe(before + 2)
    await chat.rest()
  }
  /** A response that is half read. */
  const half = async (): Promise<CopilotPage> => {
    const chat = await open()
    await chat.say('/long 900')
    await eventually(async () => (await chat.talk())[1]?.length ?? 0).toBeGreaterThan(200)
    return chat
  }
  const LONG = 3000

  test('text and reasoning, and a reload shows the same messages', async () => {
    const chat = await open()
    await say(chat, '/think')
    if (!isClassic) await chat.page.getByText('Thought for').waitFor()
    await say(chat, 'hello')
    const before = await chat.talk()
    expect(await saved(chat)).toEqual(before)
    await chat.reload()
    await eventually(chat.talk).toEqual(before)
    expect(chat.problems).toEqual([])
    await chat.close()
  })

  test('parallel calls, a call that fails, and one whose arguments are not JSON', async () => {
    const chat = await open()
    for (const [text, calls] of [
      ['/parallel 3', 3],
      ['/error', 4],
      ['/badjson', 5],
    ] as const) {
      await say(chat, text)
      await eventually(chat.calls).toEqual(Array(calls).fill('complete'))
    }
    await chat.reload()
    await eventually(chat.calls).toHaveLength(5)
    expect((await saved(chat)).length).toBe(6)
    await chat.close()
  })

  test('arguments are drawn while they are written', async () => {
    const chat = await open()
    const growth = await growthOf(chat.page, '[data-part="input"]')
    await say(chat, '/big 20')
    const lengths = await growth()
    expect(lengths.length).toBeGreaterThan(5)
    expect(lengths.at(-1)).toBeGreaterThan(15_000)
    await chat.close()
  })

  test('a tool of the page answers by itself', async () => {
    const chat = await open()
    await say(chat, 'set the temperature to 23')
    await eventually(() => chat.page.locator('[data-part="heater"]').innerText()).toBe('23°')
    await eventually(() => isRunning(chat)).toBe(false)
    await eventually(() => saved(chat)).toEqual(await chat.talk())
    await chat.close()
  })

  test('the failure of a page tool arrives with the next message of the user', async () => {
    const chat = await open()
    await chat.say('set the temperature to 99')
    await eventually(chat.calls).toHaveLength(1)
    await chat.rest()
    await chat.say('hello')
    await eventually(async () => (await chat.talk()).filter(one => one.startsWith('user:')).length).toBe(2)
    await chat.rest()
    await eventually(() => isRunning(chat)).toBe(false)
    const outputs = (await eventsOf(stage().server.url, chat.thread())).filter(
      ({ type }) => type === 'input.tool_output',
    )
    expect(JSON.stringify(outputs)).toContain('30 degrees at most')
    await chat.close()
  })

  test('an approved call runs, a denied one does not, and both can be decided after a reload', async () => {
    const chat = await open()
    for (const decision of ['approve', 'deny']) {
      await chat.say('/ask')
      await chat.page.locator('[data-part="approval"]').waitFor()
      await chat.reload()
      await chat.page.locator('[data-part="approval"]').waitFor()
      await chat.press(decision)
      await chat.page.locator('[data-part="approval"]').waitFor({ state: 'detached' })
      await eventually(() => isRunning(chat)).toBe(false)
      await chat.rest()
    }
    const ends = (await eventsOf(stage().server.url, chat.thread())).map(({ type }) => type)
    expect(ends.filter(type => type === 'tool.completed' || type === 'tool.failed')).toEqual([
      'tool.completed',
      'tool.failed',
    ])
    await chat.close()
  })

  // The components of version 2 have no button for it.
  test.runIf(isClassic)('another answer is what the server has', async () => {
    const chat = await open()
    for (const text of ['hello', '/think']) await say(chat, text)
    const runsOf = () => stage().server.requests.filter(({ path }) => path.endsWith('/run')).length
    const before = runsOf()
    await chat.page.getByLabel('Regenerate response').last().click()
    await eventually(runsOf).toBe(before + 1)
    await eventually(() => isRunning(chat)).toBe(false)
    await chat.rest()
    await eventually(() => chat.talk()).toEqual(await saved(chat))
    expect(await chat.talk()).toHaveLength(4)
    await chat.close()
  })

  test('an image reaches the server', async () => {
    const chat = await open()
    const file = { name: 'dot.png', mimeType: 'image/png', buffer: PIXEL }
    await chat.page.setInputFiles('input[type="file"]', file)
    await chat.page.locator('img[src^="data:"], img[src^="blob:"]').first().waitFor()
    await say(chat, 'look at this')
    const log = await eventsOf(stage().server.url, chat.thread())
    expect(log.find(({ type }) => type === 'input.message')?.content).toMatchObject([
      { type: 'text', text: 'look at this' },
      { type: 'image', source: { media_type: 'image/png', data: PIXEL.toString('base64') } },
    ])
    await chat.close()
  })

  test('stop ends the run at the server', async () => {
    const chat = await half()
    await chat.stop()
    await chat.rest()
    await eventually(() => isRunning(chat)).toBe(false)
    expect((await saved(chat))[1]?.length).toBeLessThan(LONG)
    await chat.close()
  })

  test('a reload in the middle of a text continues it, and a second tab reads the same and writes', async () => {
    const chat = await half()
    const tab = await anotherCopilot(chat)
    await chat.reload()
    await Promise.all([chat.rest(), tab.rest()])
    await eventually(async () => (await chat.talk())[1]?.length ?? 0).toBeGreaterThan(LONG)
    await eventually(() => isRunning(chat)).toBe(false)
    expect(await saved(chat)).toEqual(await chat.talk())
    await eventually(tab.talk).toEqual(await chat.talk())
    await say(tab, 'hello')
    await chat.reload()
    await eventually(chat.talk).toEqual(await tab.talk())
    await chat.close()
  })

  test('a cut line is shown, and a reload shows the whole response', async () => {
    const chat = await half()
    stage().server.cut()
    await chat.page.getByRole('alert').first().waitFor()
    await eventually(() => isRunning(chat)).toBe(false)
    await chat.reload()
    await eventually(async () => (await chat.talk())[1]?.length ?? 0).toBeGreaterThan(LONG)
    expect(await saved(chat)).toEqual(await chat.talk())
    await chat.close()
  })

  test('a killed server continues the same thread after its restart', async () => {
    const chat = await half()
    await stage().crash()
    await chat.reload()
    await eventually(() => isRunning(chat)).toBe(false)
    await chat.reload()
    await eventually(async () => (await chat.talk())[1]?.length ?? 0).toBeGreaterThan(LONG)
    await chat.close()
  })

  test('a rejection before the stream is shown, and the next message is answered', async () => {
    const chat = await open()
    // The page opens its thread first.
    await say(chat, 'hello')
    stage().server.failNext('POST', 429, 'Too many requests. Try again in a minute.')
    await chat.say('hello there')
    await eventually(async () => (await chat.page.getByRole('alert').allInnerTexts()).join()).toContain('429')
    await chat.rest()
    await chat.say('hello again')
    await eventually(async () => (await saved(chat)).at(-1)?.startsWith('assistant:')).toBe(true)
    await chat.close()
  })

  test('a failed model is shown', async () => {
    const chat = await open()
    await chat.say('/fail')
    await chat.page.getByRole('alert').first().waitFor()
    await chat.rest()
    await chat.close()
  })
})

/** The page of `examples/ai-sdk` in a real browser: useChat of ai 7 against the real server with the demo model. */
import { describe, expect, test } from 'vitest'
import { anotherTab, eventually, openChat, reload } from './chat-page.ts'
import { setUpStage } from './chat-stage.ts'
import { buildPage, folderOfExample } from './start-example.ts'

const stage = setUpStage(() => buildPage(folderOfExample('ai-sdk')))
const open = () => openChat(stage().browser, stage().server.url)

describe('the ai-sdk example', () => {
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

  test('parallel calls, a call that fails, and one whose arguments are no JSON', async () => {
    const chat = await open()
    await chat.say('/parallel 3')
    await eventually(chat.calls).toEqual(['output-available', 'output-available', 'output-available'])
    await chat.rest()
    await chat.say('/error')
    await eventually(async () => (await chat.calls()).slice(3)).toEqual(['output-error'])
    await chat.rest()
    await chat.say('/badjson')
    await eventually(async () => (await chat.calls()).slice(4)).toEqual(['output-error'])
    await chat.rest()
    expect(chat.problems).toEqual([])
    await chat.close()
  })

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

  test('a tool of the page answers by itself', async () => {
    const chat = await open()
    await chat.say('set the temperature to 23')
    await eventually(() => chat.page.locator('[data-part="heater"]').innerText()).toBe('23°')
    await eventually(chat.calls).toEqual(['output-available'])
    await eventually(chat.last).not.toBe('')
    await chat.rest()
    expect(await chat.ids()).toHaveLength(2)
    await chat.close()
  })

  test('a reload in the middle of a text continues it, and a second tab reads the same', async () => {
    const chat = await open()
    await chat.say('/long 600')
    await eventually(async () => (await chat.last()).length).toBeGreaterThan(50)
    const tab = await anotherTab(chat)
    await reload(chat)
    await Promise.all([chat.rest(), tab.rest()])
    const resumed = stage().server.requests.filter(({ path }) => path.endsWith('/stream'))
    expect(resumed.map(({ status }) => status)).toContain(200)
    expect(await tab.talk()).toEqual(await chat.talk())
    expect((await chat.last()).split(/\s+/).length).toBeGreaterThan(500)
    await chat.close()
  })
})

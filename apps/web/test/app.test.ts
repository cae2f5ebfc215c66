import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { visit, watch } from './browser.ts'
import { card, ended, eventually, folded, say, setUpProduct, startProduct } from './product.ts'

const { browser, open, product } = setUpProduct()
const workspace = (file: string): string => join(product().folder, 'data/workspace', file)
const JSON_BODY = { 'content-type': 'application/json' }

describe('a conversation', () => {
  test('the first card shows a tool call and an answer, and a reload shows the same', async () => {
    const { page, problems } = await open()
    await page.locator('.card').first().click()
    await ended(page)
    expect(await page.locator('[data-tool="Bash"]').getAttribute('data-state')).toBe('success')
    await folded(page)
    const before = await page.locator('[data-tw-part="thread-rows"]').innerText()
    expect(before).toContain('README.md')
    await page.reload()
    await ended(page)
    await eventually(() => page.locator('[data-tw-part="thread-rows"]').innerText()).toBe(before)
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('an opened card shows command and output, and stays as it was chosen', async () => {
    const { page } = await open()
    await say(page, 'run `echo one two three`')
    await ended(page)
    await folded(page)
    await page.locator('[data-tool="Bash"] [data-tw-part="tool-header"]').click()
    expect(await page.locator('[data-tw-part="terminal"]').innerText()).toContain('one two three')
    await say(page, 'what time is it')
    await ended(page, 2)
    expect(await page.locator('[data-tool="Bash"]').first().getAttribute('data-open')).toBe('true')
    await page.context().close()
  })

  test('a tool input of a megabyte streams, is shown in part, and can be read in full', async () => {
    const { page } = await open()
    await say(page, '/big 1000')
    const waiting = card(page, 'awaiting_approval')
    await waiting.locator('[data-tw-part="view-full"]').first().waitFor()
    expect((await waiting.innerText()).length).toBeLessThan(60_000)
    await waiting.locator('[data-tw-part="view-full"]').first().click()
    const pieces = waiting.locator('[data-tw-part="full-text"] [data-tw-part="output"]')
    await eventually(() => pieces.count()).toBeGreaterThan(10)
    // As one line of JSON, which no browser can lay out, it must not hang the page either.
    await say(page, 'never mind')
    await ended(page)
    await card(page, 'cancelled').locator('[data-tw-part="tool-header"]').click()
    expect((await card(page, 'cancelled').innerText()).length).toBeLessThan(60_000)
    await page.context().close()
  })

  test('a long session opens at its end and draws only what is in sight', async () => {
    const post = (path: string, body: object) =>
      fetch(product().url + path, {
        method: 'POST',
        headers: JSON_BODY,
        body: JSON.stringify(body),
      })
    const { id } = (await (await post('/api/sessions', {})).json()) as { id: string }
    for (let n = 0; n < 30; n++)
      await (await post('/api/chat/stream', { session_id: id, message: 'what time is it' })).text()
    await (await post('/api/chat/stream', { session_id: id, message: 'the very last one' })).text()
    const { page } = await open(`/sessions/${id}`)
    await page.locator('[data-tw-part="bubble"]', { hasText: 'the very last one' }).waitFor()
    expect(await page.locator('[data-tw-part="thread-row"]').count()).toBeLessThan(60)
    const end = () =>
      page
        .locator('[data-tw-part="thread-scroll"]')
        .evaluate(box => box.scrollHeight - box.scrollTop - box.clientHeight)
    await eventually(end).toBeLessThan(5)
    await page.locator('[data-tw-part="thread-scroll"]').evaluate(box => box.scrollTo(0, 0))
    await page.locator('[data-tw-part="message"][data-role="user"]').first().waitFor()
    await page.locator('[data-tw-part="to-end"]').click()
    await eventually(end).toBeLessThan(5)
    await page.context().close()
  })

  test('a failed answer says why and can be asked again', async () => {
    const { page } = await open()
    await say(page, '/fail unknown_model')
    await page.locator('[data-tw-part="turn-error"]').waitFor()
    await page.locator('[data-tw-part="turn-actions"] button', { hasText: 'Retry' }).click()
    await eventually(() => page.locator('[data-tw-part="turn-error"]').count()).toBe(2)
    await page.context().close()
  })

  test('stopping ends a run in progress', async () => {
    const { page } = await open()
    await say(page, '/slow 60')
    await page.locator('[data-tw-part="stop"]').click()
    await ended(page)
    expect(await page.locator('[data-tw-part="composer-box"] [data-tw-part="stop"]').count()).toBe(0)
    await page.context().close()
  })

  test('a reload in the middle of an answer continues it', async () => {
    const { page } = await open()
    await say(page, '/slow 2')
    await page.locator('[data-tw-part="stop"]').waitFor()
    await page.reload()
    await ended(page)
    expect(await page.locator('[data-role="assistant"] [data-tw-part="text"]').count()).toBeGreaterThan(0)
    await page.context().close()
  })

  test('an Enter that belongs to an input method sends nothing', async () => {
    const { page } = await open()
    const sent: string[] = []
    page.on('request', request => {
      if (request.method() === 'POST') sent.push(request.url())
    })
    const box = page.locator('[data-tw-part="composer-box"] textarea')
    await box.fill('你好')
    await box.evaluate(area => {
      const press = { key: 'Enter', bubbles: true, cancelable: true }
      area.dispatchEvent(new KeyboardEvent('keydown', { ...press, isComposing: true }))
      area.dispatchEvent(new KeyboardEvent('keydown', { ...press, keyCode: 229 }))
    })
    expect(await page.locator('[data-tw-part="composer"]').getAttribute('data-busy')).toBe('false')
    expect(await box.inputValue()).toBe('你好')
    expect(sent).toEqual([])
    await box.press('Enter')
    await page.waitForURL('**/sessions/*')
    await page.context().close()
  })

  test('a tool of the page itself runs in the browser', async () => {
    const { page } = await open('/', { colorScheme: 'light' })
    await page.locator('.card').nth(2).click()
    await ended(page)
    expect(await page.locator('html').getAttribute('data-tw-theme')).toBe('dark')
    const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    expect(dark).toBe('rgb(22, 24, 28)')
    await page.context().close()
  })
})

describe('approvals', () => {
  test('allowing once runs the call', async () => {
    const { page } = await open()
    await say(page, 'run `touch allowed.txt`')
    await card(page, 'awaiting_approval').locator('[data-tw-part="allow-once"]').click()
    await ended(page)
    expect(existsSync(workspace('allowed.txt'))).toBe(true)
    await page.context().close()
  })

  test('denying with a reason runs nothing and shows the reason', async () => {
    const { page } = await open()
    await say(page, 'run `touch denied.txt`')
    const waiting = card(page, 'awaiting_approval')
    await waiting.locator('[data-tw-part="deny"]').click()
    await waiting.locator('textarea').fill('not in this folder')
    await waiting.locator('[data-tw-part="submit"]').click()
    await ended(page)
    const denied = card(page, 'denied').and(page.locator('[data-open="false"]'))
    await denied.locator('[data-tw-part="tool-header"]').click()
    expect(await card(page, 'denied').locator('[data-tw-part="decision"]').innerText()).toContain(
      'not in this folder',
    )
    expect(existsSync(workspace('denied.txt'))).toBe(false)
    await page.context().close()
  })

  test('arguments edited in a form are what runs', async () => {
    const { page } = await open()
    await say(page, 'run `touch before-edit.txt`')
    const waiting = card(page, 'awaiting_approval')
    await waiting.locator('[data-tw-part="edit"]').click()
    // The tool's own schema: required and given fields come first, the rest is behind "more".
    const fields = waiting.locator('[data-tw-part="schema-form"] > [data-tw-part="field"]')
    await eventually(() => fields.locator('[data-tw-part="field-name"]').allInnerTexts()).toContain('command')
    expect(await waiting.locator('[data-tw-part="more-fields"]').count()).toBe(1)
    const command = waiting.getByLabel('command')
    expect(await command.inputValue()).toBe('touch before-edit.txt')
    await command.fill('')
    await waiting.locator('[data-tw-part="submit"]').click()
    await waiting.locator('[data-tw-part="field"] [data-tw-part="error"]').waitFor()
    await command.fill('touch after-edit.txt')
    await waiting.locator('[data-tw-part="submit"]').click()
    await ended(page)
    expect(existsSync(workspace('after-edit.txt'))).toBe(true)
    expect(existsSync(workspace('before-edit.txt'))).toBe(false)
    await page.context().close()
  })

  test('arguments can be edited as JSON, which must be JSON', async () => {
    const { page } = await open()
    await say(page, 'run `touch before-json.txt`')
    const waiting = card(page, 'awaiting_approval')
    await waiting.locator('[data-tw-part="edit"]').click()
    await waiting.locator('[data-tw-part="as-json"]').click()
    const json = waiting.locator('[data-tw-part="field"] textarea')
    expect(JSON.parse(await json.inputValue())).toMatchObject({ command: 'touch before-json.txt' })
    await json.fill('{"command": nonsense')
    expect(await waiting.locator('[data-tw-part="submit"]').isDisabled()).toBe(true)
    await json.fill('{"command": "touch after-json.txt"}')
    await waiting.locator('[data-tw-part="submit"]').click()
    await ended(page)
    expect(existsSync(workspace('after-json.txt'))).toBe(true)
    await page.context().close()
  })

  test('one decision applies to all calls that wait together, each with its own preview', async () => {
    const { page } = await open()
    await say(page, 'run `touch batch-a.txt` and run `touch batch-b.txt`')
    const batch = page.locator('[data-tw-part="approval-batch"]')
    await batch.waitFor()
    const waiting = card(page, 'awaiting_approval')
    expect(await waiting.locator('[data-tw-part="command"]').allInnerTexts()).toEqual([
      'touch batch-a.txt',
      'touch batch-b.txt',
    ])
    await batch.locator('[data-tw-part="allow-once"]').click()
    await ended(page)
    expect(['batch-a.txt', 'batch-b.txt'].map(file => existsSync(workspace(file)))).toEqual([true, true])
    await page.context().close()
  })

  test('an answer given instead of running is the result, and nothing runs', async () => {
    const { page } = await open()
    await say(page, 'run `touch answered.txt`')
    const waiting = card(page, 'awaiting_approval')
    await waiting.locator('[data-tw-part="answer"]').click()
    await waiting.locator('textarea').fill('It is there already')
    await waiting.locator('[data-tw-part="submit"]').click()
    await ended(page)
    await folded(page)
    await card(page, 'success').locator('[data-tw-part="tool-header"]').click()
    expect(await card(page, 'success').innerText()).toContain('It is there already')
    expect(existsSync(workspace('answered.txt'))).toBe(false)
    await page.context().close()
  })

  test('the reason for asking is shown in the reader’s language', async () => {
    const { page } = await open('/', { locale: 'zh-TW' })
    await say(page, 'run `touch reason.txt`')
    const reason = card(page, 'awaiting_approval').locator('[data-tw-part="approval-message"]')
    expect(await reason.innerText()).toBe('touch reason.txt：可能不是唯讀指令。')
    await page.context().close()
  })

  test('a question survives reload and a killed server, and an answer in one tab reaches the other', async () => {
    const own = await startProduct()
    try {
      const { page } = await visit(browser(), own.url)
      await say(page, '/ask')
      await card(page, 'awaiting_approval').waitFor()
      await page.reload()
      await card(page, 'awaiting_approval').waitFor()
      await own.crash()
      const other = await page.context().newPage()
      await other.goto(page.url())
      await card(other, 'awaiting_approval').locator('[data-tw-part="allow-once"]').click()
      await ended(other)
      await ended(page)
      expect(await card(page, 'success').count()).toBe(1)
      await page.context().close()
    } finally {
      await own.stop()
    }
  })

  test('the inbox shows what waits in any session and answers it there', async () => {
    const { page } = await open()
    await say(page, 'run `touch from-inbox.txt`')
    await card(page, 'awaiting_approval').waitFor()
    await page.goto(`${product().url}/inbox`)
    const waiting = page.locator('[data-tw-part="inbox-session"]', { hasText: 'from-inbox' })
    await waiting.locator('[data-tw-part="allow-once"]').click()
    await eventually(() => existsSync(workspace('from-inbox.txt'))).toBe(true)
    await waiting.waitFor({ state: 'detached' })
    await page.context().close()
  })

  test('the inbox links to items that it does not show in full, and counts all of them', async () => {
    const own = await startProduct()
    try {
      const ids: string[] = []
      for (let n = 0; n < 5; n++) {
        const made = await fetch(`${own.url}/api/sessions`, { method: 'POST' })
        const { id } = (await made.json()) as { id: string }
        ids.push(id)
        const body = JSON.stringify({ session_id: id, message: `run \`touch waits-${n}.txt\`` })
        await (await fetch(`${own.url}/api/chat/stream`, { method: 'POST', headers: JSON_BODY, body })).text()
      }
      const { page } = await visit(browser(), `${own.url}/inbox`)
      await eventually(() => page.locator('[data-tw-part="inbox-session"]').count()).toBe(5)
      expect(await page.locator('.nav-link', { hasText: 'Inbox' }).innerText()).toContain('5')
      expect(await page.title()).toBe('(5) Toolwire')
      // Browsers keep few connections: only the first are live, the others say what they want.
      await eventually(() =>
        page.locator('[data-tw-part="inbox-session"] [data-tw-part="approval"]').count(),
      ).toBe(3)
      const later = page.locator('[data-tw-part="inbox-session"]', {
        has: page.locator('[data-tw-part="session-link"]', { hasText: 'Open' }),
      })
      expect(await later.first().innerText()).toContain('touch waits-')
      const first = page.locator('[data-tw-part="inbox-session"]').first()
      await first.locator('[data-tw-part="deny"]').click()
      await first.locator('[data-tw-part="submit"]').click()
      await eventually(() => page.locator('[data-tw-part="inbox-session"]').count()).toBe(4)
      await eventually(() =>
        page.locator('[data-tw-part="inbox-session"] [data-tw-part="approval"]').count(),
      ).toBe(3)
      await later.first().locator('[data-tw-part="session-link"]').click()
      await page.waitForURL(url => ids.some(id => url.pathname === `/sessions/${id}`))
      await card(page, 'awaiting_approval').waitFor()
      await page.context().close()
    } finally {
      await own.stop()
    }
  })
})

describe('sessions', () => {
  test('are found, renamed, forked and deleted', async () => {
    const { page } = await open()
    await say(page, 'what time is it')
    await ended(page)
    const first = page.url()
    await page.locator('.title-button').click()
    await page.locator('.screen-header .rename').fill('Lighthouse')
    await page.keyboard.press('Enter')
    const item = page.locator('.session-item', { hasText: 'Lighthouse' })
    await item.waitFor()
    await page.locator('#session-search').fill('lighthouse')
    await eventually(() => page.locator('.session-item').count()).toBe(1)
    await page.locator('[data-tw-part="turn-actions"] [data-tw-part="quiet-button"]').click()
    await page.waitForURL(url => url.href !== first)
    await ended(page)
    await eventually(() => page.locator('.session-item').count()).toBe(2)
    page.on('dialog', dialog => void dialog.accept())
    await page.locator('.session-item[data-current="true"] .icon-button').click()
    await page.locator('.menu:popover-open .danger').click()
    await page.waitForURL(`${product().url}/`)
    await eventually(() => page.locator('.session-item').count()).toBe(1)
    await page.context().close()
  })

  test('a missing one is reported plainly', async () => {
    const { page } = await open('/sessions/nowhere')
    expect(await page.locator('.notice').innerText()).toContain('does not exist')
    await page.context().close()
  })

  test('their events can be read as another wire sends them', async () => {
    const { page } = await open()
    await say(page, 'what time is it')
    await ended(page)
    await page.keyboard.press('Control+.')
    await page.locator('[data-tw-part="timeline-bar"]').first().waitFor()
    await page.locator('.panel [data-tab="events"]').click()
    await page.locator('[data-tw-part="event-type"]', { hasText: 'session.created' }).waitFor()
    await page.locator('[data-tw-part="events-wire"]').selectOption('chat')
    await page
      .locator('[data-tw-part="event-type"]', { hasText: 'session_created' })
      .or(page.locator('[data-tw-part="event-type"]', { hasText: 'system' }))
      .first()
      .waitFor()
    expect(await page.locator('[data-tw-part="event-type"]', { hasText: 'session.created' }).count()).toBe(0)
    await page.context().close()
  })
})

describe('language', () => {
  test('follows the browser, covers Chinese with the shipped font, and can be changed', async () => {
    const { page } = await open('/', { locale: 'zh-CN' })
    await page.locator('.card').first().click()
    await ended(page)
    expect(await page.locator('.sidebar').innerText()).toContain('新会话')
    expect(await page.locator('[data-tw-part="state-words"]').first().innerText()).toBe('完成')
    await page.evaluate(() => document.fonts.ready)
    const loaded = await page.evaluate(() =>
      [...document.fonts].some(font => font.family.includes('Noto Sans SC') && font.status === 'loaded'),
    )
    expect(loaded).toBe(true)
    await page.goto(`${product().url}/settings`)
    await page.locator('.segments label', { hasText: '繁體中文' }).click()
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-Hant')
    await eventually(() => page.locator('h1').innerText()).toBe('設定')
    await page.context().close()
  })
})

test('two tabs on one session show the same', async () => {
  const { page } = await open()
  await say(page, 'list the files')
  const other = await page.context().newPage()
  const problems = watch(other)
  await page.waitForURL('**/sessions/*')
  await other.goto(page.url())
  await ended(page)
  await ended(other)
  await say(other, 'what time is it')
  await ended(page, 2)
  await ended(other, 2)
  const text = (shown: typeof page) => shown.locator('[data-tw-part="thread-rows"]').innerText()
  await eventually(async () => (await text(page)) === (await text(other))).toBe(true)
  expect(problems).toEqual([])
  await page.context().close()
})

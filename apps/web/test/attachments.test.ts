/** Files of a message: chosen, pasted, dropped, refused, removed, and sent by their ids. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { ended, eventually, say, setUpProduct } from './product.ts'

const { open, product } = setUpProduct()
const BOX = '[data-tw-part="composer-box"] textarea'
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

const chip = (page: Page, state: string) => page.locator(`[data-tw-part="attachment"][data-state="${state}"]`)

async function choose(page: Page, name: string, content: Buffer | string): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.locator('[data-tw-part="attach"]').click(),
  ])
  await chooser.setFiles({ name, mimeType: '', buffer: Buffer.from(content) })
}

/** Pastes or drops files as a browser would. */
async function bring(page: Page, how: 'paste' | 'drop', name: string, data: string): Promise<void> {
  await page.evaluate(
    ([event, file, base64]) => {
      const bytes = Uint8Array.from(atob(base64), one => one.charCodeAt(0))
      const transfer = new DataTransfer()
      transfer.items.add(new File([bytes], file, { type: file.endsWith('.png') ? 'image/png' : '' }))
      const init = { bubbles: true, cancelable: true }
      if (event === 'paste')
        document
          .querySelector('[data-tw-part="composer-box"] textarea')
          ?.dispatchEvent(new ClipboardEvent('paste', { ...init, clipboardData: transfer }))
      else
        for (const type of ['dragover', 'drop'])
          document
            .querySelector('[data-tw-drop]')
            ?.dispatchEvent(new DragEvent(type, { ...init, dataTransfer: transfer }))
    },
    [how, name, data] as const,
  )
}

test('a chosen file and a pasted image are sent by their ids, and shown in the message', async () => {
  const { page, problems } = await open()
  await choose(page, 'sales.csv', 'city,sales\nParis,7\n')
  await chip(page, 'ready').waitFor()
  await bring(page, 'paste', 'dot.png', PIXEL)
  await eventually(() => chip(page, 'ready').count()).toBe(2)
  expect(await page.locator('[data-tw-part="thumbnail"]').getAttribute('src')).toMatch(/^blob:/)
  await say(page, 'what is in these files?')
  await ended(page)
  const asked = page.locator('[data-role="user"]').first()
  expect(await asked.locator('[data-tw-part="attachment-name"]').allInnerTexts()).toEqual(['sales.csv'])
  await eventually(() =>
    asked.locator('img[data-tw-part="image"]').evaluate(image => (image as HTMLImageElement).naturalWidth),
  ).toBe(1)
  const id = page.url().split('/').at(-1) ?? ''
  const { messages } = (await (await fetch(`${product().url}/api/sessions/${id}/messages`)).json()) as {
    messages: { content: { source?: { type: string; filename: string } }[] }[]
  }
  const sources = messages[0]?.content.flatMap(({ source }) => source ?? [])
  expect(sources?.map(({ type, filename }) => [type, filename])).toEqual([
    ['file', 'sales.csv'],
    ['file', 'dot.png'],
  ])
  await eventually(() => page.locator('[data-tw-part="attachments"]').count()).toBe(0)
  expect(problems).toEqual([])
  await page.context().close()
})

test('files that are dropped on the conversation survive a reload, and go when they are removed', async () => {
  const { page } = await open()
  await say(page, 'list the files')
  await ended(page)
  await bring(page, 'drop', 'notes.txt', btoa('remember the pier'))
  await chip(page, 'ready').waitFor()
  await page.reload()
  await eventually(() =>
    chip(page, 'ready').locator('[data-tw-part="attachment-name"]').allInnerTexts(),
  ).toEqual(['notes.txt'])
  await page.locator('[data-tw-part="attachment-remove"]').click()
  expect(await page.locator('[data-tw-part="attachment"]').count()).toBe(0)
  await page.reload()
  await page.locator(BOX).waitFor()
  expect(await page.locator('[data-tw-part="attachment"]').count()).toBe(0)
  await page.context().close()
})

test('a file that is refused names the reason, blocks the message and can be sent again or removed', async () => {
  const { page } = await open()
  await choose(page, 'nothing.txt', '')
  expect(await chip(page, 'failed').locator('[role="alert"]').innerText()).toBe('The file is empty')
  await page.fill(BOX, 'look')
  expect(await page.locator('[data-tw-part="send"]').isDisabled()).toBe(true)
  await page.locator('[data-tw-part="attachment-remove"]').click()
  expect(await page.locator('[data-tw-part="send"]').isEnabled()).toBe(true)
  let refuse = true
  await page.route('**/api/files?**', async route => {
    if (refuse)
      await route.fulfill({
        status: 507,
        json: { error: { code: 'owner_storage_full', message: 'Your files take all their room.' } },
      })
    else await route.continue()
  })
  await choose(page, 'more.txt', 'more')
  await eventually(() => chip(page, 'failed').locator('[role="alert"]').allInnerTexts()).toEqual([
    'Your files take all their room.',
  ])
  refuse = false
  await page.locator('[data-tw-part="attachment-retry"]').click()
  await chip(page, 'ready').waitFor()
  await page.context().close()
})

test('@ completes files of the workspace by keyboard, and / the skills of people', async () => {
  const { page } = await open()
  await say(page, 'list the files')
  await ended(page)
  await page.locator(BOX).pressSequentially('explain @sr')
  await eventually(() => page.locator('[data-tw-part="completion-label"]').allInnerTexts()).toEqual(['src/'])
  await page.keyboard.press('Enter')
  await eventually(() => page.locator('[data-tw-part="completion-label"]').allInnerTexts()).toContain(
    'greet.ts',
  )
  await page.keyboard.type('greet.t')
  await eventually(() => page.locator('[data-tw-part="completion-label"]').allInnerTexts()).toEqual([
    'greet.ts',
  ])
  expect(await page.locator(BOX).getAttribute('aria-activedescendant')).toBeTruthy()
  await page.keyboard.press('Tab')
  await eventually(() => page.locator(BOX).inputValue()).toBe('explain @src/greet.ts ')
  await page.fill(BOX, '')
  await page.locator(BOX).pressSequentially('/chan')
  await eventually(() => page.locator('[data-tw-part="completion-label"]').allInnerTexts()).toEqual([
    '/changes',
  ])
  await page.keyboard.press('Enter')
  await eventually(() => page.url()).toMatch(/\/changes$/)
  expect(await page.locator(BOX).inputValue()).toBe('')
  await page.context().close()
})

test('an unreadable type is attached with the note that models see its name only', async () => {
  const { page } = await open()
  await choose(page, 'blob.bin', Buffer.from([0, 1, 2, 255, 254]))
  await eventually(() =>
    chip(page, 'ready').locator('[data-tw-part="attachment-note"]').allInnerTexts(),
  ).toEqual(['Models see its name only'])
  await page.context().close()
})

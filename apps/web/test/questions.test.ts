/** Several questions of a model: asked, answered with the keyboard, on a phone and in the inbox. */
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { askQuestions, HOSTILE } from '../../../packages/react/test/question-script.ts'
import { askForStickers } from '../../../packages/react/test/sticker-script.ts'
import { card, ended, eventually, setUpProduct } from './product.ts'
import { writeSessions } from './written-session.ts'

const asked = (id: string) => {
  const script = askQuestions(`apr_${id}.1`).endTurn('m1')
  return script.add('run.paused', { reason: 'user_input_required', pending: [] }).records
}
const stickers = () =>
  askForStickers().endTurn('m1').add('run.paused', { reason: 'client_tool_execution', pending: [] }).records

const { open, product } = setUpProduct({
  env: { TOOLWIRE_STICKER_REQUEST: 'true' },
  prepare: data =>
    writeSessions(data, { keyboard: asked('keyboard'), phone: asked('phone'), stickers: stickers() }),
})

/** What the model is given as the result of the call. */
async function resultOf(session: string): Promise<unknown> {
  const response = await fetch(`${product().url}/api/sessions/${session}/events`, {
    headers: { accept: 'application/json' },
  })
  const text = await response.text()
  const found = /"type":"tool\.completed".*?"output_text":("(?:[^"\\]|\\.)*")/.exec(text)?.[1]
  return found === undefined ? undefined : JSON.parse(JSON.parse(found))
}

const form = (page: Page | Locator) => page.locator('[data-tw-part="question-form"]')

test('all questions are answered with the keyboard, sent once and reach the model', async () => {
  const { page, problems } = await open('/sessions/keyboard')
  await form(page).waitFor()
  await page.getByRole('radio', { name: 'Red' }).focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('ArrowDown')
  expect(await page.getByRole('radio', { name: /^Blue/ }).isChecked()).toBe(true)
  await page.keyboard.press('Enter')
  expect(await card(page, 'awaiting_approval').count()).toBe(1)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  for (let n = 0; n < 3; n++) await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await page.keyboard.press('Tab')
  await page.keyboard.type('XL')
  await eventually(() => form(page).getByRole('status').innerText()).toContain('Anything else?')
  await page.keyboard.press('Tab')
  await page.keyboard.type('No\nthanks')
  await page.keyboard.press('Control+Enter')
  await ended(page)
  const expected = { 'Which color?': HOSTILE, 'Which sizes?': ['S', 'XL'], 'Anything else?': 'No\nthanks' }
  expect(await resultOf('keyboard')).toEqual(expected)
  await page.reload()
  await ended(page)
  await card(page, 'success').locator('[data-tw-part="tool-header"]').click()
  const shown = await card(page, 'success').locator('[data-tw-part="tool-output"]').innerText()
  for (const text of ['Which color?', '⟨U+202E⟩', 'Which sizes?', '→ S, XL', '→ No'])
    expect(shown).toContain(text)
  expect(problems).toEqual([])
  await page.context().close()
})

test('the inbox of a phone asks the same, nothing is wider than the screen, and Skip answers too', async () => {
  const { page, problems } = await open('/inbox', { viewport: { width: 390, height: 844 }, hasTouch: true })
  const questions = form(page.locator('[data-session-id="phone"]'))
  await questions.waitFor()
  expect(await questions.getByRole('group').count()).toBe(3)
  const wide = await page.evaluate(() =>
    [...document.querySelectorAll('[data-tw-part="question-form"] *')]
      .filter(element => element.getBoundingClientRect().right > innerWidth)
      .map(element => element.outerHTML.slice(0, 80)),
  )
  expect(wide).toEqual([])
  const heights = await questions
    .locator('[data-tw-part="option"], button')
    .evaluateAll(all => all.map(one => one.getBoundingClientRect().height))
  for (const height of heights) expect(height).toBeGreaterThanOrEqual(44)
  await questions.locator('[data-tw-part="skip"]').tap()
  await questions.waitFor({ state: 'detached' })
  await eventually(() => resultOf('phone')).toEqual({
    'Which color?': null,
    'Which sizes?': null,
    'Anything else?': null,
  })
  expect(problems).toEqual([])
  await page.context().close()
})

test('the sticker form is filled in, saved by the browser, and the server learns only that it was sent', async () => {
  const { page, problems } = await open('/sessions/stickers')
  const fields = page.locator('[data-tw-part="client-call"] [data-tw-part="field"] textarea')
  await fields.first().waitFor()
  expect(await fields.count()).toBe(8)
  for (const field of await fields.all()) await field.fill('Hidden Lane 1')
  const saved = page.waitForEvent('download')
  await page.locator('[data-tw-part="client-call"] [data-tw-part="submit"]').click()
  expect((await saved).suggestedFilename()).toBe('StickerRequest.json')
  await ended(page)
  const events = await (await fetch(`${product().url}/api/sessions/stickers/events`)).text()
  expect(events).toContain('The sticker form was sent')
  expect(events).not.toContain('Hidden Lane')
  expect(problems).toEqual([])
  await page.context().close()
})

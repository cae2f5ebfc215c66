/**
 * Rules written in Settings: their meaning is shown while they are typed, and only the server decides that they
 * apply.
 */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { card, ended, eventually, say, setUpProduct } from './product.ts'

const { open, product } = setUpProduct()

const editor = (page: Page) => page.locator('.rule-editor')
const row = (page: Page, text: string) => page.locator('.revocable li', { hasText: text })
const meaning = (page: Page) => editor(page).locator('.rule-meaning')

interface Listed {
  readonly rules: readonly object[]
  readonly grants: readonly object[]
}

async function kept(session = ''): Promise<Listed> {
  const query = session === '' ? '' : `?session_id=${session}`
  return (await (await fetch(`${product().url}/api/permissions${query}`)).json()) as Listed
}

test('a rule of a project is added with what it means, changed, and revoked', async () => {
  const { page, problems } = await open('/settings')
  await page.locator('.add-rule').click()
  const save = editor(page).locator('[type="submit"]')
  expect(await save.isDisabled()).toBe(true)
  await editor(page).getByText('deny', { exact: true }).click()
  await editor(page).locator('[name="rule"]').fill('Edit(src/**)')
  await editor(page).locator('[name="agent"]').fill('explore')
  await eventually(() => meaning(page).locator('code').innerText()).toBe('@explore Edit(src/**)')
  const told = await meaning(page).innerText()
  expect(told).toContain('Calls of Edit, Write, NotebookEdit that match src/**')
  expect(told).toContain('type explore')
  expect(told).toContain('.toolwire/settings.json')
  expect((await kept()).rules).toEqual([])
  await save.click()
  await row(page, '@explore Edit(src/**)').waitFor()
  expect(await row(page, '@explore').locator('[data-effect]').innerText()).toBe('deny')
  expect((await kept()).rules).toMatchObject([
    { rule: '@explore Edit(src/**)', decision: 'deny', source: 'project', revocable: true },
  ])

  await row(page, '@explore').locator('.edit').click()
  expect(await editor(page).locator('[name="agent"]').inputValue()).toBe('explore')
  await editor(page).locator('[name="agent"]').fill('')
  await editor(page).getByText('ask', { exact: true }).click()
  await editor(page).locator('[name="time"]').selectOption('hour')
  await eventually(() => meaning(page).locator('code').innerText()).toBe('Edit(src/**)')
  await save.click()
  await row(page, 'Edit(src/**)').locator('time').waitFor()
  expect(await row(page, '@explore').count()).toBe(0)
  const [rule, ...others] = (await kept()).rules
  expect(rule).toMatchObject({ rule: 'Edit(src/**)', decision: 'ask', expires_at: expect.any(String) })
  expect(others).toEqual([])
  const audit = (await (await fetch(`${product().url}/api/audit`)).json()) as { entries: readonly object[] }
  expect(audit.entries.slice(-2)).toMatchObject([
    { action: 'permission_rule.added', details: { rule: '@explore Edit(src/**)', decision: 'deny' } },
    { action: 'permission_rule.changed', details: { before: { rule: '@explore Edit(src/**)' } } },
  ])

  await row(page, 'Edit(src/**)').locator('.revoke').click()
  await eventually(() => row(page, 'Edit(src/**)').count()).toBe(0)
  expect((await kept()).rules).toEqual([])
  expect(problems).toEqual([])
  await page.context().close()
})

test('what is no rule is said at its field, and what the server refuses stays in the form', async () => {
  const { page } = await open('/settings')
  await page.locator('.add-rule').click()
  const text = editor(page).locator('[name="rule"]')
  const save = editor(page).locator('[type="submit"]')
  await text.fill('no rule (')
  await editor(page).getByRole('alert').waitFor()
  expect(await text.getAttribute('aria-invalid')).toBe('true')
  expect(await editor(page).getByRole('alert').innerText()).toContain('Not a permission rule')
  expect(await save.isDisabled()).toBe(true)
  await text.fill('Bash(pwd)')
  await meaning(page).locator('code').waitFor()
  // Until the server has answered nothing is in the list; when it refuses, nothing comes.
  let answer = (): void => {}
  await page.route('**/api/permissions', async route => {
    await new Promise<void>(resolve => {
      answer = resolve
    })
    const error = { code: 'conflict', message: 'The file is locked.', retryable: false }
    await route.fulfill({ status: 409, json: { error } })
  })
  await save.click()
  await eventually(() => save.innerText()).toBe('Saving…')
  expect(await row(page, 'Bash(pwd)').count()).toBe(0)
  answer()
  await eventually(() => editor(page).getByRole('alert').innerText()).toBe('The file is locked.')
  expect(await text.inputValue()).toBe('Bash(pwd)')
  expect(await row(page, 'Bash(pwd)').count()).toBe(0)
  await page.context().close()
})

test('a rule of the session is tried on its calls before it is kept, and decides from the next call on', async () => {
  const { page } = await open()
  await say(page, 'run `touch ruled.txt`')
  await card(page, 'awaiting_approval').locator('[data-tw-part="allow-once"]').click()
  await ended(page)
  const session = page.url().split('/').at(-1) ?? ''
  await page.locator('.rules-button').click()
  await page.locator('.add-rule').click()
  await editor(page).locator('[name="rule"]').fill('Bash(touch:*)')
  await eventually(() => meaning(page).innerText()).toContain('changes the result of 1 of them')
  expect(await editor(page).locator('[name="scope"]').inputValue()).toBe('session')
  await editor(page).locator('[type="submit"]').click()
  await row(page, 'Bash(touch:*)').waitFor()
  expect((await kept(session)).grants).toMatchObject([{ rule: 'Bash(touch:*)', source: 'session' }])
  expect((await kept()).rules).toEqual([])
  await page.keyboard.press('Escape')
  await say(page, 'run `touch ruled-again.txt`')
  await ended(page, 2)
  expect(await card(page, 'awaiting_approval').count()).toBe(0)
  await page.context().close()
})

/** Agents and the prompt of a session, as a user meets them. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ended, eventually, say, setUpProduct } from './product.ts'

const { open, product } = setUpProduct()

test('an agent is made, changed without overwriting another change, chosen for a session, and put away', async () => {
  const { page, problems } = await open('/agents')
  await page.locator('.empty').waitFor()
  await page.locator('.button.primary').click()
  const field = (name: string) => page.locator('.agent-form').getByLabel(name, { exact: true })
  await field('Name').fill('reviewer')
  await field('Description').fill('Reviews changes')
  await field('Instructions').fill('Review changes. Do not edit files.')
  await page.locator('.agent-form select').last().selectOption('plan')
  await page.locator('.agent-form .button.primary').click()
  const card = page.locator('.agent-card')
  await eventually(() => card.locator('.quiet').innerText()).toBe(
    'Default model · Plan only · all tools · version 1',
  )
  await card.locator('button').first().click()
  await fetch(`${product().url}/api/agents/reviewer`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ description: 'Changed elsewhere' }),
  })
  await field('Description').fill('Mine')
  await page.locator('.agent-form .button.primary').click()
  await page.locator('.agent-form [role="alert"]').waitFor()
  await page.reload()
  await eventually(() => card.locator('p').first().innerText()).toBe('Changed elsewhere')
  await card.locator('a').click()
  await eventually(() => page.locator('.home select.agent').inputValue()).toBe('reviewer')
  await say(page, 'list the files')
  await ended(page)
  expect(await page.locator('.chat-foot select.mode').inputValue()).toBe('plan')
  await page.locator('[aria-label="Side panel"][aria-pressed]').click()
  await page.locator('[data-tab="prompt"]').click()
  await eventually(() => page.locator('.prompt-part summary').count()).toBeGreaterThan(1)
  await page.goto(`${product().url}/agents`)
  await card.locator('button').last().click()
  await page.locator('.empty').waitFor()
  expect(problems.filter(problem => !problem.includes('409'))).toEqual([])
  await page.context().close()
})

test('the prompt tab shows parts with tokens and text, skills, and stores instructions', async () => {
  const folder = join(product().folder, 'data/workspace/.claude/skills/notes')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'SKILL.md'), '---\nname: notes\ndescription: Writes notes\n---\nWrite.\n')
  const { page, problems } = await open()
  await say(page, 'list the files')
  await ended(page)
  await page.goto(`${page.url()}/prompt`)
  await eventually(() => page.locator('.prompt-total').innerText()).toMatch(/^[\d.,]+K? tokens/)
  const part = page.locator('.prompt-part').first()
  await part.locator('summary').click()
  await eventually(async () => (await part.locator('pre').innerText()).length).toBeGreaterThan(100)
  await page.locator('section[aria-label="Skills"]').waitFor()
  await page.fill('.instructions textarea', 'Answer briefly.')
  await page.locator('.instructions button').click()
  await eventually(() => page.locator('.instructions [role="status"]').innerText()).toBe('Saved')
  await page.reload()
  await eventually(() => page.locator('.instructions textarea').inputValue()).toBe('Answer briefly.')
  await page.locator('.prompt-total button').click()
  await page.getByText('The next request records the prompt again.').waitFor()
  expect(problems).toEqual([])
  await page.context().close()
})

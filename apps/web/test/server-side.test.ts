/** What the app shows of the server: its tools, its rules, the whole output of a call. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { card, ended, eventually, say, setUpProduct, toolCard } from './product.ts'

const { open, product } = setUpProduct()
const workspace = (file: string): string => join(product().folder, 'data/workspace', file)

describe('the catalogue of tools', () => {
  const tryTool = async (page: Page, name: string) => {
    const tool = page.locator('.tool', { has: page.locator('strong', { hasText: new RegExp(`^${name}$`) }) })
    await tool.locator('summary').first().click()
    await tool.locator('.tool-details > .button').click()
    return tool
  }

  test('a tool is tried with a form made from its schema, and its card shows what came out', async () => {
    const { page, problems } = await open('/tools')
    const tool = await tryTool(page, 'Glob')
    await tool.locator('button[type="submit"]').click()
    const field = tool.locator('[data-tw-part="field"]', { hasText: 'pattern' })
    await field.locator('[data-tw-part="error"]').waitFor()
    await tool.getByLabel('pattern').fill('**/*.md')
    await tool.locator('button[type="submit"]').click()
    await eventually(() => tool.locator('[data-tw-part="tool-call"]').getAttribute('data-state')).toBe(
      'success',
    )
    expect(await tool.locator('[data-tw-part="tool-call"]').innerText()).toContain('README.md')
    // The catalog includes it.
    await eventually(async () => {
      await page.reload()
      await tool.locator('summary').first().click()
      return await tool.locator('.tool-figures').count()
    }).toBe(1)
    expect(await tool.locator('.tool-figures').innerText()).toBe('1 call since the start')
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('a tool that needs approval asks there, too', async () => {
    const { page } = await open('/tools')
    const tool = await tryTool(page, 'Write')
    await tool.locator('[data-tw-part="as-json"]').click()
    await tool
      .locator('[data-tw-part="schema-form"] textarea')
      .fill(JSON.stringify({ file_path: workspace('tried.txt'), content: 'tried' }))
    await tool.locator('button[type="submit"]').click()
    const waiting = tool.locator('[data-state="awaiting_approval"]')
    await waiting.waitFor()
    expect(existsSync(workspace('tried.txt'))).toBe(false)
    await waiting.locator('[data-tw-part="allow-once"]').click()
    await eventually(() => existsSync(workspace('tried.txt'))).toBe(true)
    expect(readFileSync(workspace('tried.txt'), 'utf8')).toBe('tried')
    await page.context().close()
  })
})

test('one call is stopped and the others continue', async () => {
  const { page } = await open()
  await say(page, 'run `touch slow.txt; sleep 60` and list the files')
  const allow = page.locator('[data-tw-part="allow-once"]')
  await allow.first().click()
  const running = card(page, 'executing')
  await running.locator('[data-tw-part="stop-call"]').click()
  await ended(page)
  expect(await page.locator('[data-tw-part="turn-error"]').count()).toBe(0)
  const states = await toolCard(page, 'Bash').evaluateAll(cards => cards.map(each => each.dataset['state']))
  expect(states).toContain('cancelled')
  expect(await page.locator('[data-role="assistant"] [data-tw-part="text"]').count()).toBeGreaterThan(0)
  await page.context().close()
})

describe('an output that is too long for the log', () => {
  test('is read in full, searched and saved', async () => {
    const { page } = await open()
    await say(page, 'run `seq 1 20000`')
    await page
      .locator('[data-tw-part="allow-once"]')
      .or(page.locator('[data-tw-part="turn-footer"]'))
      .first()
      .waitFor()
    if (await page.locator('[data-tw-part="allow-once"]').count())
      await page.locator('[data-tw-part="allow-once"]').click()
    await ended(page)
    await page.locator('.expand-all').click()
    await toolCard(page, 'Bash').locator('.full-output').click()
    const pane = page.locator('.artifact-pane[open]')
    await eventually(() => pane.locator('header').innerText()).toContain('20,000')
    expect(await pane.locator('.artifact-line').count()).toBeLessThan(200)
    await pane.locator('input').fill('12345')
    await page.keyboard.press('Enter')
    await eventually(() => pane.locator('.artifact-line[data-current="true"]').innerText()).toContain('12345')
    const saved = page.waitForEvent('download')
    await pane.locator('[data-tw-part="download"]').click()
    const text = readFileSync(await (await saved).path(), 'utf8')
    expect(text.trim().split('\n')).toHaveLength(20_000)
    await page.keyboard.press('Escape')
    await eventually(() => page.locator('.artifact-pane').count()).toBe(0)
    await page.context().close()
  })
})

describe('rules and grants', () => {
  test('a grant of a session is in its list, and is asked for again once revoked', async () => {
    const { page } = await open()
    await say(page, 'run `touch granted.txt`')
    await card(page, 'awaiting_approval').locator('[data-tw-part="allow-rule"]').click()
    await page.locator('[data-tw-part="form"] [data-tw-part="submit"]').click()
    await ended(page)
    await say(page, 'run `touch granted.txt`')
    await ended(page, 2)
    await page.locator('.rules-button').click()
    const grant = page.locator('.dialog[open] .revocable li', { hasText: 'touch granted.txt' })
    await grant.waitFor()
    await grant.locator('.revoke').click()
    await eventually(() => grant.count()).toBe(0)
    await page.keyboard.press('Escape')
    await say(page, 'run `touch granted.txt`')
    await card(page, 'awaiting_approval').waitFor()
    await page.context().close()
  })

  test('a grant may be given for a time, which its list shows', async () => {
    const { page } = await open()
    await say(page, 'run `touch for-an-hour.txt`')
    await card(page, 'awaiting_approval').locator('[data-tw-part="allow-rule"]').click()
    const time = page.locator('[data-tw-part="rule-time"] select')
    expect(await time.inputValue()).toBe('always')
    await time.selectOption({ label: 'For an hour' })
    const before = Date.now()
    await page.locator('[data-tw-part="form"] [data-tw-part="submit"]').click()
    await ended(page)
    const id = page.url().split('/').at(-1) ?? ''
    const answer = await fetch(`${product().url}/api/permissions?session_id=${id}`)
    const { grants } = (await answer.json()) as { grants: readonly { expires_at?: string }[] }
    const left = Date.parse(grants[0]?.expires_at ?? '') - before
    expect(left).toBeGreaterThanOrEqual(3_600_000)
    expect(left).toBeLessThan(2 * 3_600_000)
    await page.locator('.rules-button').click()
    const grant = page.locator('.dialog[open] .revocable li', { hasText: 'for-an-hour.txt' })
    expect(await grant.locator('time').innerText()).toMatch(/until .*\d:\d\d/)
    await page.keyboard.press('Escape')
    await eventually(() => page.locator('.dialog[open]').count()).toBe(0)
    await page.context().close()
  })

  test('settings show the rules of new sessions and of any other', async () => {
    const { page } = await open()
    await say(page, 'run `touch elsewhere.txt`')
    await card(page, 'awaiting_approval').locator('[data-tw-part="allow-rule"]').click()
    await page.locator('[data-tw-part="form"] [data-tw-part="submit"]').click()
    await ended(page)
    const id = page.url().split('/').at(-1) ?? ''
    await page.goto(`${product().url}/settings`)
    const rules = page.locator('.group', { hasText: 'Rules and grants' })
    await rules.locator('select').selectOption(id)
    await rules.locator('.revocable li', { hasText: 'touch elsewhere.txt' }).waitFor()
    await page.context().close()
  })
})

test('the context meter shows a share of the model’s window', async () => {
  const { page } = await open()
  await say(page, 'what time is it')
  await ended(page)
  await eventually(() => page.locator('[data-tw-part="context"]').innerText()).toMatch(/\d+\s?%/)
  expect(Number(await page.locator('[data-tw-part="context"] progress').getAttribute('max'))).toBe(200_000)
  await page.context().close()
})

test('a session can be watched as every wire sends it', async () => {
  const { page } = await open()
  await say(page, 'list the files')
  await ended(page)
  await page.keyboard.press('Control+.')
  await page.locator('.panel [data-tab="events"]').click()
  const firsts: string[] = []
  for (const wire of ['canonical', 'chat', 'thread', 'openai-chat', 'anthropic-messages']) {
    await page.locator('[data-tw-part="events-wire"]').selectOption(wire)
    await page.locator('[data-tw-part="event-type"]').first().waitFor()
    firsts.push(await page.locator('[data-tw-part="event-type"]').first().innerText())
  }
  expect(new Set(firsts).size).toBe(firsts.length)
  expect(firsts.at(3)).toBe('chat.completion.chunk')
  expect(firsts.at(4)).toBe('message_start')
  await page.context().close()
})

describe('the first page', () => {
  test('explains how to connect a model, with commands that name what the server reads', async () => {
    const { page, problems } = await open()
    const key = page.locator('.connect-key')
    await key.locator('summary').first().click()
    expect(await key.locator('pre').innerText()).toBe(
      ['export ANTHROPIC_API_KEY=sk-ant-…', 'npx toolwire doctor', 'npx toolwire'].join('\n'),
    )
    await key.getByText('OpenAI').click()
    expect(await key.locator('pre').innerText()).toContain('export OPENAI_API_KEY=')
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('shows lines for the user’s own program that work verbatim', async () => {
    const { page } = await open()
    await page.locator('.curl summary').click()
    const lines = await page.locator('.curl pre').first().innerText()
    const answer = execFileSync('sh', ['-c', lines], { encoding: 'utf8' })
    expect(answer).toContain('README.md')
    expect(answer).toContain('"type":"done"')
    await page.context().close()
  })

  test('says nothing of keys where a model of a provider answers', async () => {
    const { page } = await open()
    await page.route('**/api/models*', route =>
      route.fulfill({ json: { default: 'claude-x', models: [{ id: 'claude-x' }, { id: 'demo' }] } }),
    )
    await page.reload()
    await page.locator('.curl summary').waitFor()
    await eventually(() => page.locator('.connect-key').count()).toBe(0)
    await page.context().close()
  })
})

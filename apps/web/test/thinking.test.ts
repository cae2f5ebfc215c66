/** The effort of thinking: chosen beside the model, shown in the session's details, sent to the provider. */
import { startFakeUpstream } from '@toolwire/demo'
import { afterAll, expect, test } from 'vitest'
import { ended, eventually, say, setUpProduct } from './product.ts'

const fake = await startFakeUpstream()
afterAll(() => fake.close())
const { open } = setUpProduct({
  env: { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: fake.url, TOOLWIRE_MODEL: 'claude-opus-5' },
})

const sent = () =>
  (fake.requests.at(-1)?.body ?? {}) as { readonly thinking?: unknown; readonly output_config?: unknown }

test('the choice beside the model changes what the provider is asked for', async () => {
  const { page, problems } = await open()
  await say(page, 'hello')
  await ended(page)
  expect(sent().thinking).toEqual({ type: 'adaptive', display: 'summarized' })
  const choice = page.getByLabel('Thinking')
  await eventually(() => choice.inputValue()).toBe('auto')
  expect(await choice.locator('option').allInnerTexts()).toEqual([
    'Thinking: auto',
    'Thinking: off',
    'Thinking: low',
    'Thinking: medium',
    'Thinking: high',
    'Thinking: very high',
    'Thinking: maximum',
  ])
  await page.keyboard.press('Control+.')
  const details = page.locator('.session-settings')
  await eventually(() => details.innerText()).toBe('claude-opus-5 · Thinking: auto')
  await choice.selectOption('high')
  await eventually(() => details.innerText()).toBe('claude-opus-5 · Thinking: high')
  await say(page, 'hello again')
  await ended(page, 2)
  expect(sent().output_config).toEqual({ effort: 'high' })
  await page.reload()
  await eventually(() => page.getByLabel('Thinking').inputValue()).toBe('high')
  // A model that cannot think has no choice.
  await page.getByLabel('Model', { exact: true }).selectOption('demo')
  await eventually(() => page.getByLabel('Thinking').count()).toBe(0)
  expect(problems).toEqual([])
  await page.context().close()
})

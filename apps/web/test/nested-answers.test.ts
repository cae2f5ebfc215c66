/** Answers that nest without end do not break the page of their session. */
import { expect, test } from 'vitest'
import { nestedTexts } from '../../../packages/core/test/view/nested-text.ts'
import { Script } from '../../../packages/core/test/view/script.ts'
import { eventually, say, setUpProduct } from './product.ts'
import { writeSessions } from './written-session.ts'

function answered(texts: readonly string[]) {
  const script = new Script().created()
  for (const [n, text] of texts.entries()) {
    script.ask(`Text ${n}`, `r${n}`).turn(`m${n}`).text(`m${n}`, 0, [text])
    script.endTurn(`m${n}`).completeRun()
  }
  return script.ask('The end', 'end').turn('end').text('end', 0, ['**Done.**']).endTurn('end').completeRun()
    .records
}

const SMALL = Object.values(nestedTexts(3000))
const LARGE = [
  'quote marks',
  'lists in quotes',
  'emphasis that closes',
  'links in links',
  'an address that ends',
]
const large = nestedTexts(1_000_000)
const { open } = setUpProduct({
  prepare: data =>
    writeSessions(data, {
      quotes: answered(['>'.repeat(3000)]),
      small: answered(SMALL),
      large: answered(LARGE.map(name => large[name] ?? '')),
    }),
})

test.each(['quotes', 'small', 'large'])('the session %s is drawn to its end and continues', async id => {
  const { page, problems } = await open(`/sessions/${id}`)
  await page.locator('strong', { hasText: 'Done.' }).waitFor()
  await say(page, 'hello')
  await eventually(() => page.locator('[data-role="user"]', { hasText: 'hello' }).count()).toBe(1)
  const depth = await page.evaluate(() => {
    let deepest = 0
    for (const leaf of document.querySelectorAll('[data-tw-part="text"] :not(:has(*))')) {
      let levels = 0
      for (let at: Element | null = leaf; at; at = at.parentElement) levels += 1
      deepest = Math.max(deepest, levels)
    }
    return deepest
  })
  expect(depth).toBeLessThan(100)
  expect(problems).toEqual([])
  await page.context().close()
})

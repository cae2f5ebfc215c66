/** Answers that nest without end, such as 3 kB of `>`: their page opens, shows them and can be written on. */
import { expect, test } from 'vitest'
import { nestedTexts } from '../../../packages/core/test/view/nested-text.ts'
import { Script } from '../../../packages/core/test/view/script.ts'
import { nextScreen } from './next-screen.ts'
import { ended, eventually, say, setUpProduct } from './product.ts'
import { writeSessions } from './written-session.ts'

const SIZE = 3000
const KINDS = [
  ...['quote marks', 'quotes with blanks', 'quotes by line', 'lists in quotes', 'lists by indent'],
  ...['emphasis', 'emphasis in emphasis', 'links in links', 'images in images'],
]
const AFTER = 'the last word of the session'

/** One answer per text, so that one that breaks the page takes all others with it. */
function nested() {
  const script = new Script().created().ask('Nest')
  const texts = nestedTexts(SIZE)
  for (const [n, kind] of KINDS.entries())
    script
      .turn(`m${n}`)
      .text(`m${n}`, 0, [texts[kind] ?? ''])
      .endTurn(`m${n}`)
  script.turn('last').text('last', 0, [AFTER]).endTurn('last').completeRun()
  return script.records
}

const { open } = setUpProduct({ prepare: data => writeSessions(data, { nested: nested() }) })

test('a session of nested texts opens, shows each of them, and takes a message', async () => {
  const { page, problems } = await open('/sessions/nested')
  const thread = page.locator('[data-tw-part="thread-scroll"]')
  await eventually(() => thread.innerText()).toContain(AFTER)
  await thread.evaluate(box => box.scrollTo(0, 0))
  await eventually(() => thread.innerText()).toContain('Nest')
  const levels = (box: Element): number => {
    let deepest = 0
    for (let row = [...box.children]; row.length > 0; deepest++) row = row.flatMap(one => [...one.children])
    return deepest
  }
  let deepest = 0
  for (let more = true; more; ) {
    more = await thread.evaluate(nextScreen)
    deepest = Math.max(deepest, await thread.evaluate(levels))
  }
  expect(deepest).toBeLessThan(100)
  await say(page, 'what time is it')
  await ended(page, 2)
  expect(problems).toEqual([])
  await page.context().close()
})

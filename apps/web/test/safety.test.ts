import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { nextScreen } from './next-screen.ts'
import { hostileLog, PAYLOADS } from './payloads.ts'
import { ended, eventually, say, setUpProduct } from './product.ts'
import { writeSessions } from './written-session.ts'

const { open, product } = setUpProduct({ prepare: data => writeSessions(data, { hostile: hostileLog() }) })

/** Fails if something has run, was loaded from elsewhere, or is in the page as markup. */
async function expectHarmless(page: Page, hosts: readonly string[]): Promise<void> {
  const found = await page.evaluate(() => {
    const markup =
      'script, iframe, object, embed, form:not([data-tw-part]), style, meta, link, base, video, template, math'
    const links = [...document.querySelectorAll<HTMLAnchorElement>('[data-tw-part="thread-scroll"] a')]
    const images = [...document.querySelectorAll<HTMLImageElement>('[data-tw-part="thread-scroll"] img')]
    return [
      ...('pwned' in window ? ['code has run'] : []),
      ...[
        ...document.querySelectorAll(`#app :is(${markup}), [data-tw-part="thread-scroll"] [style*="url("]`),
      ].map(element => element.outerHTML),
      ...links.filter(link => !/^(https?|mailto):$/.test(link.protocol)).map(link => link.href),
      ...links.filter(link => !link.rel.includes('noopener')).map(link => `opener: ${link.href}`),
      // A row outside of the screen has no rendered text.
      ...links
        .filter(link => !(link.innerText || link.textContent)?.includes(link.host))
        .map(link => `no host: ${link.href}`),
      ...images
        .filter(image => !/^data:image\/(png|jpeg|gif|webp|avif);/.test(image.src))
        .map(image => image.src),
    ]
  })
  expect(found).toEqual([])
  expect(new Set(hosts)).toEqual(new Set([new URL(product().url).host]))
  expect(new URL(page.url()).host).toBe(new URL(product().url).host)
}

describe('what models and tools write', () => {
  test('never runs, loads or leaves, in any card and in any part of a long session', async () => {
    const { page, problems } = await open('/sessions/hostile')
    const hosts: string[] = []
    page.on('request', request => hosts.push(new URL(request.url()).host))
    await page.locator('[data-tw-part="tool-call"]').first().waitFor()
    await page.reload()
    await page.locator('[data-tw-part="tool-call"]').first().waitFor()
    await page.locator('.expand-all').click()
    const thread = page.locator('[data-tw-part="thread-scroll"]')
    const seen = new Set<string>()
    // Rows grow while they are measured and may carry the view past others: what one pass missed, the next one finds.
    for (let pass = 0; pass < 5 && seen.size < PAYLOADS.length * 10; pass++) {
      await thread.evaluate(box => box.scrollTo(0, 0))
      for (let more = true; more; ) {
        more = await thread.evaluate(nextScreen)
        for (const id of await thread.evaluate(callsIn)) seen.add(id)
        await expectHarmless(page, hosts)
      }
    }
    expect(seen.size).toBe(PAYLOADS.length * 10)
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('never runs or loads while it streams, nor in the trace, nor in the names of sessions', async () => {
    const { page, problems } = await open()
    const hosts: string[] = []
    page.on('request', request => hosts.push(new URL(request.url()).host))
    let n = 0
    for (const payload of PAYLOADS.filter((_, index) => index % 3 === 0)) {
      await say(page, payload)
      await ended(page, ++n)
    }
    await page.keyboard.press('Control+.')
    await page.locator('.panel [data-tab="events"]').click()
    await page.locator('[data-tw-part="event"] > button').first().click()
    await expectHarmless(page, hosts)
    await page.goto(`${product().url}/sessions`)
    await page.locator('.session-table tbody tr').first().waitFor()
    expect(await page.evaluate(() => 'pwned' in window)).toBe(false)
    expect(problems).toEqual([])
    await page.context().close()
  })

  test('the policy refuses inline code even when something is put into the page', async () => {
    const { page } = await open()
    const ran = await page.evaluate(async () => {
      const script = document.createElement('script')
      try {
        script.textContent = 'window.pwned = 1'
        document.body.append(script)
        document.body.innerHTML += '<img src=x onerror="window.pwned=1">'
      } catch {}
      await new Promise(done => setTimeout(done, 200))
      return 'pwned' in window
    })
    expect(ran).toBe(false)
    await page.context().close()
  })

  test('a link names its host, and an image from elsewhere waits for consent', async () => {
    const { page } = await open()
    const hosts: string[] = []
    page.on('request', request => hosts.push(new URL(request.url()).host))
    await say(page, 'see [the docs](https://docs.example/a) and ![chart](https://pics.example/c.png)')
    await ended(page)
    const answer = page.locator('[data-role="assistant"]')
    expect(await answer.locator('[data-tw-part="link-host"]').first().innerText()).toBe('docs.example')
    const gate = answer.locator('[data-tw-part="image-gate"]').first()
    expect(await gate.innerText()).toContain('pics.example')
    expect(hosts).not.toContain('pics.example')
    // The policy of the page keeps other hosts out even then: what is left is a link that says where it goes.
    await gate.click()
    await eventually(() => answer.locator('a[href="https://pics.example/c.png"]').count()).toBe(1)
    await page.context().close()
  })
})

/** The calls whose cards exist. */
const callsIn = (box: Element): readonly string[] =>
  [...box.querySelectorAll<HTMLElement>('[data-call-id]')].map(each => each.dataset['callId'] ?? '')

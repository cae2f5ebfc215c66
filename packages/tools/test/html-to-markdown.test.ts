/** Pages as Markdown: what a model reads of them, and what hostile ones cost. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fuzzing, mutatedText } from '../../core/test/mutate.ts'
import { htmlToMarkdown } from '../src/html/html-to-markdown.ts'
import { wordsOf } from '../src/html/html-words.ts'

const BASE = 'http://a.example/dir/page'

describe.for<readonly [name: string, html: string, markdown: string]>([
  ['paragraphs', '<p>one\n two</p><p>three</p>four', 'one two\n\nthree\n\nfour'],
  ['lines', 'a<br>b<div>c</div>d', 'a\nb\nc\nd'],
  ['headings', '<h1>A <em>b</em></h1><h3><div>c</div></h3>d', '# A _b_\n\n### c\n\nd'],
  ['a heading without words', 'a<h2> </h2>b', 'a\n\nb'],
  ['emphasis next to words', 'a<b> b </b>c <i></i><strong><b>d</b></strong>', 'a **b** c **d**'],
  ['emphasis over blocks', '<b><p>a</p><p>b</p></b>', '**a**\n\n**b**'],
  ['lists', '<ul><li>a<ul><li>b</li></ul></li><li><p>c</p><p>d</p></ul>e', '- a\n  - b\n\n- c\n\n  d\n\ne'],
  ['numbers', '<ol start="9"><li>a<li>b<br>c</ol>', '9. a\n10. b\n    c'],
  ['quotes', '<blockquote><p>a</p><p>b<ul><li>c</ul></blockquote>', '> a\n>\n> b\n>\n> - c'],
  [
    'code',
    '<p>Use <code> a  b </code>, <code>`</code>.</p><pre><code class="x language-ts">let a\n  b</code></pre>',
    'Use `a b`, `` ` ``.\n\n```ts\nlet a\n  b\n```',
  ],
  ['code with fences in it', '<pre>\n```\na\n```\n</pre>', '````\n```\na\n```\n````'],
  ['code in a quote', '<blockquote><pre>a\n\nb</pre></blockquote>', '> ```\n> a\n> \n> b\n> ```'],
  [
    'tables',
    '<table><thead><tr><th>A<th>B</thead><tr><td><p>1|2</p><p>3</p><td><b>x</b></tr></table>',
    '| A | B |\n| --- | --- |\n| 1\\|2 3 | **x** |',
  ],
  ['short first rows', '<table><tr><td>a<tr><td>b<td>c</table>', '| a |  |\n| --- | --- |\n| b | c |'],
  [
    'tables that only put blocks in their places',
    '<table><tr><td><h1>a</h1><td>b</table><table><tr><td>c<tr><td>d</table>',
    '# a\n\nb\n\nc\nd',
  ],
  [
    'links',
    '<a href="/x">a</a> <a href="y?z#w">b</a> <a href="#c">c</a> <a href="javascript:d()">d</a> <a>e</a>',
    '[a](http://a.example/x) [b](http://a.example/dir/y?z#w) [c](#c) d e',
  ],
  [
    'links around blocks',
    '<a href="/x"><h2>a</h2><p>b</p></a> <a href="/y"> </a>',
    '[a b](http://a.example/x)',
  ],
  ['odd addresses', '<a href="/a (b)">a</a>', '[a](<http://a.example/a%20(b)>)'],
  [
    'pictures',
    '<img src="/a.png" alt="A\nb"><img src="data:image/png;base64,AAAA" alt="c"><a href="/x"><img src="b.png"></a>',
    '![A b](http://a.example/a.png)c[![](http://a.example/dir/b.png)](http://a.example/x)',
  ],
  [
    'what is not for readers',
    '<head><title>t</title><style>s</style></head><script>a</script><noscript>n</noscript><svg><text>v</text></svg>b',
    'b',
  ],
  ['entities', 'a &lt;b&gt; &amp; &nbsp;c &#x4e2d;', 'a <b> & \u00a0c 中'],
  ['rules', 'a<hr>b', 'a\n\n---\n\nb'],
])('%s', ([, html, markdown]) => {
  test('are written', () => {
    expect(htmlToMarkdown(html, BASE)).toBe(markdown)
  })
})

test('without a base address links stay as they are', () => {
  expect(htmlToMarkdown('<a href="/x">a</a><a href="http://b.example/">b</a>')).toBe(
    '[a](/x)[b](http://b.example/)',
  )
})

test('behind too many levels the words are left', () => {
  const deep = (levels: number) => htmlToMarkdown(`<b>a</b>${'<div>'.repeat(levels)}<b>c</b> d`)
  expect(deep(400)).toBe('**a**\n**c** d')
  expect(deep(600)).toMatch(/^\*\*a\*\*\n\n\s*c\s+d$/)
})

/** Two megabytes each. A parser that looks back at what is open needs minutes to hours for most of these. */
describe.for<readonly [piece: string, before?: string]>([
  ['<div>'],
  ['<b>'],
  ['<ol><li>'],
  ['<div></p>'],
  ['<table><tr><td>'],
  ['<code>`'],
  ['<!--'],
  ['<'],
  ['<a '],
  ['x="', '<a '],
  ['&amp'],
  ['<p>a'],
  ['<p>a', '<b><i>'.repeat(250)],
  ['<p>w</p>', '<blockquote>'.repeat(150)],
  ['word ', '<h1>'.repeat(500)],
  ['<tr><td>a<td>b', '<table>'],
  ['</span>', '<div>'.repeat(500)],
  ['<div><h2>T</h2><p>a <b>b</b> <a href="/x">c</a></p><ul><li>d</li></ul></div>\n'],
])('%s without end', ([piece, before = '']) => {
  test('is converted, and into no more than a few times as much', () => {
    const html = before + piece.repeat(Math.floor(2_000_000 / piece.length))
    expect(htmlToMarkdown(html, BASE).length).toBeLessThan(6 * html.length)
  })
})

test('pages with any wounds are converted', () => {
  const pages = [
    '<html><head><title>A</title></head><body><h1>Hi</h1><p>a <a href="/b">link</a> <b>c</b></p></body></html>',
    '<table><tr><th>A</th><td><ul><li>b</li></ul></td></tr></table><pre><code class="language-js">x</code></pre>',
    '<ol start="3"><li>a<blockquote>b<br>c</blockquote></li></ol><img src="x.png" alt="&quot;d"><hr>',
  ]
  fc.assert(
    fc.property(mutatedText(pages), html => {
      expect(htmlToMarkdown(html, BASE).length).toBeLessThanOrEqual(200 + 10 * html.length)
    }),
    fuzzing(500),
  )
})

/** What is meant, said in the short way that takes hours on some pages. */
const plainWords = (html: string): string =>
  html.replaceAll(/<(script|style)[\s\S]*?<\/\1>/gi, ' ').replaceAll(/<[^>]*>/g, ' ')

test('words are those that plain expressions find', () => {
  const pieces = ['<', '>', '<script', '</script>', '</SCRIPT>', '<style', '</style>', '<p>']
  const page = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 4 })), { maxLength: 25 })
  fc.assert(
    fc.property(page, parts => {
      expect(wordsOf(parts.join(''))).toBe(plainWords(parts.join('')))
    }),
    { numRuns: 2000 },
  )
  const many = 2_000_000
  expect(wordsOf('<'.repeat(many))).toHaveLength(many)
  expect(wordsOf('<script'.repeat(many))).toHaveLength(7 * many)
  expect(wordsOf(`${'<style'.repeat(many)}</style>a`)).toBe(' a')
})

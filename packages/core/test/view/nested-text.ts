/** Markdown that nests or repeats without end, about `size` characters of each kind. */
const lines = (size: number, line: (n: number) => string): string =>
  Array.from({ length: Math.ceil(Math.sqrt(size)) }, (_, n) => line(n)).join('\n')

const repeated: Readonly<Record<string, string>> = {
  'a_ words': 'a_',
  'an address': 'a.',
  backslashes: '\\',
  brackets: '[',
  'code marks': '`a``b',
  comments: '<!--',
  emphasis: '*a **b ',
  entities: '&#',
  'list marks': '- ',
  'links that do not end': '[a](',
  'lists in quotes': '> - ',
  'mixed marks': '*_~~',
  'numbered marks': '1. ',
  'numbers in a paragraph': '2. *a *a *a *a *a *a\n',
  paragraphs: '*a\n\n',
  pipes: '| *a',
  'quote marks': '>',
  'quotes with blanks': '> ',
  tags: '<b a="',
  tasks: '- [ ] ',
  text: 'lorem ',
}

export function nestedTexts(size: number): Readonly<Record<string, string>> {
  const half = Math.floor(size / 2)
  return {
    ...Object.fromEntries(
      Object.entries(repeated).map(([name, part]) => [name, part.repeat(Math.ceil(size / part.length))]),
    ),
    'an address that ends': `${'a.'.repeat(half)}@`,
    'emphasis that closes': `${'*'.repeat(half)}a${'*'.repeat(half)}`,
    'emphasis in emphasis': `${'*a **b '.repeat(half / 7)}c${' b** a*'.repeat(half / 7)}`,
    'images in images': `${'!['.repeat(size / 6)}a${'](x)'.repeat(size / 6)}`,
    'links in links': `${'['.repeat(half)}a${']'.repeat(half)}`,
    'lists by indent': lines(size, n => `${'  '.repeat(n)}- a`),
    'quotes by line': lines(size, n => `${'> '.repeat(n)}a`),
    'a wide table': `${'|a'.repeat(size / 6)}\n${'|-'.repeat(size / 6)}\n${'|b'.repeat(size / 6)}`,
    'a long table': `|a|\n|-|\n${'|b|\n'.repeat(size / 4)}`,
  }
}

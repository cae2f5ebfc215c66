import { expect, test } from 'vitest'
import { readSkillFile, skillBody } from '../../src/skills/skill-file.ts'

/** A SKILL.md in the folder `review`, and what is read from it. */
interface Row {
  readonly title: string
  readonly text: string
  readonly name?: string
  readonly description?: string
  readonly body?: string
  readonly rules?: readonly string[]
  /** Part of each warning. */
  readonly warns?: readonly string[]
  readonly problem?: string
  readonly forModels?: boolean
  readonly forUsers?: boolean
}

const HEAD = 'name: review\ndescription: Reviews code'
const file = (fields: string, body = 'Do it.'): string => `---\n${fields}\n---\n${body}`

const ROWS: readonly Row[] = [
  { title: 'plain', text: file(HEAD) },
  { title: 'with a byte order mark', text: `\uFEFF${file(HEAD)}` },
  { title: 'with CRLF', text: file(HEAD).replaceAll('\n', '\r\n') },
  { title: 'with CR alone', text: file(HEAD).replaceAll('\n', '\r') },
  {
    title: 'with blanks behind the lines ---',
    text: '---  \nname: review\ndescription: Reviews code\n--- \nDo it.',
  },
  { title: 'with a rule in the body', text: file(HEAD, 'One\n\n---\n\nTwo'), body: 'One\n\n---\n\nTwo' },
  {
    title: 'with a second set of fields in the body',
    text: file(HEAD, '---\nname: other\n---'),
    body: '---\nname: other\n---',
  },
  {
    title: 'with --- in the description',
    text: file('name: review\ndescription: a --- b'),
    description: 'a --- b',
  },
  { title: 'without a body', text: file(HEAD, ''), body: '' },
  { title: 'without a line behind the fields', text: `---\n${HEAD}\n---`, body: '' },
  {
    title: 'with a colon in the description',
    text: file('name: review\ndescription: Use when: reviewing'),
    description: 'Use when: reviewing',
  },
  {
    title: 'with a colon and an apostrophe',
    text: file("name: review\ndescription: Note: don't"),
    description: "Note: don't",
  },
  {
    title: 'with a colon at the end',
    text: file('name: review\ndescription: Reviews:'),
    description: 'Reviews:',
  },
  {
    title: 'with a number sign',
    text: file('name: review\ndescription: "Fix issue #3: now"'),
    description: 'Fix issue #3: now',
  },
  {
    title: 'quoted',
    text: file('name: "review"\ndescription: \'Reviews: code\''),
    description: 'Reviews: code',
  },
  {
    title: 'folded',
    text: file('name: review\ndescription: >\n  Reviews\n  code'),
    description: 'Reviews code',
  },
  {
    title: 'literal',
    text: file('name: review\ndescription: |\n  Reviews\n  code'),
    description: 'Reviews code',
  },
  { title: 'with a version that looks like a number', text: file(`${HEAD}\nversion: 1.10`) },
  {
    title: 'with a description that looks like a flag',
    text: file('name: review\ndescription: yes'),
    description: 'yes',
  },
  { title: 'with a date', text: file('name: review\ndescription: 2026-01-01'), description: '2026-01-01' },
  {
    title: 'with unknown fields',
    text: file(`${HEAD}\nlicense: MIT\nmetadata:\n  a: b\nmodel: opus\ncontext: fork`),
  },
  { title: 'without a name', text: file('description: Reviews code'), warns: ['has no name'] },
  {
    title: 'with another name than its folder',
    text: file('name: check\ndescription: Reviews code'),
    name: 'check',
    warns: ['not that of its folder'],
  },
  {
    title: 'with a name in capitals',
    text: file('name: Review_2\ndescription: Reviews code'),
    name: 'Review_2',
    warns: ['not made of a-z', 'not that of its folder'],
  },
  {
    title: 'with a path as its name',
    text: file('name: ../../etc\ndescription: Reviews code'),
    warns: ['cannot be used'],
  },
  {
    title: 'with a name that is too long',
    text: file(`name: ${'a'.repeat(65)}\ndescription: Reviews code`),
    warns: ['cannot be used'],
  },
  {
    title: 'with a name of several words',
    text: file('name: My Review\ndescription: Reviews code'),
    warns: ['cannot be used'],
  },
  {
    title: 'with a list as its name',
    text: file('name: [a]\ndescription: Reviews code'),
    warns: ['has no name'],
  },
  {
    title: 'with a long description',
    text: file(`name: review\ndescription: ${'x'.repeat(1_100)}`),
    description: 'x'.repeat(1_024),
    warns: ['was cut after 1024'],
  },
  { title: 'without a description', text: file('name: review'), problem: 'no description' },
  {
    title: 'with an empty description',
    text: file('name: review\ndescription: ""'),
    problem: 'no description',
  },
  {
    title: 'with a list as its description',
    text: file('name: review\ndescription: [a, b]'),
    problem: 'no description',
  },
  { title: 'without fields', text: '# Review', problem: 'does not begin with' },
  { title: 'with a blank line first', text: `\n${file(HEAD)}`, problem: 'does not begin with' },
  { title: 'without an end of its fields', text: '---\nname: review\n', problem: 'no closing line' },
  { title: 'with a field twice', text: file(`${HEAD}\nname: other`), problem: 'unique' },
  { title: 'that is a list', text: file('- a\n- b'), problem: 'not `name: value` lines' },
  {
    title: 'with rules as a text',
    text: file(`${HEAD}\nallowed-tools: Read, Bash(git diff:*) Grep`),
    rules: ['Read', 'Bash(git diff:*)', 'Grep'],
  },
  {
    title: 'with rules as a list',
    text: file(`${HEAD}\nallowed-tools:\n  - Read\n  - Bash(npm test)`),
    rules: ['Read', 'Bash(npm test)'],
  },
  {
    title: 'with things that are no rules',
    text: file(`${HEAD}\nallowed-tools: "Read @main Bash ( 1x Read"`),
    rules: ['Read', 'Bash'],
  },
  { title: 'for people alone', text: file(`${HEAD}\ndisable-model-invocation: true`), forModels: false },
  { title: 'for models alone', text: file(`${HEAD}\nuser-invocable: false`), forUsers: false },
]

test('the table holds at least 40 files', () => {
  expect(ROWS.length).toBeGreaterThanOrEqual(40)
})

test.each(ROWS)('a SKILL.md $title', row => {
  const read = readSkillFile(row.text, 'review')
  if (row.problem !== undefined)
    return expect(read).toEqual({ problem: expect.stringContaining(row.problem) })
  expect(read).toMatchObject({
    name: row.name ?? 'review',
    description: row.description ?? 'Reviews code',
    allowed_tools: row.rules ?? [],
    for_models: row.forModels ?? true,
    for_users: row.forUsers ?? true,
    warnings: (row.warns ?? []).map(part => expect.stringContaining(part)),
  })
  expect(skillBody(row.text)).toBe(row.body ?? 'Do it.')
})

/** What the command writes cannot drive a terminal, whatever names and rules hold. */
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { inFolder, run } from './launch.ts'

const HIDDEN = '\u202e\u001b[2J\u009b\u200b\u{e0041}'
const MARKS = '⟨U+202E⟩⟨U+001B⟩[2J⟨U+009B⟩⟨U+200B⟩⟨U+E0041⟩'

test('marks hidden characters in rows, messages and errors, and forges no rows', async () => {
  await inFolder(async dir => {
    await run(['keys', 'create', '--name', `a${HIDDEN}\nb`], dir)
    const { stdout } = await run(['keys', 'list'], dir)
    expect(stdout).toContain(`  a${MARKS}⟨U+000A⟩b\n`)
    expect(stdout.split('\n')).toHaveLength(2)
    const added = await run(['rules', 'add', `Bash(x${HIDDEN})`, '--workspace', dir], dir)
    expect(added.stdout).toContain(`Bash(x${MARKS})`)
    expect((await run(['rules', 'list', '--workspace', dir], dir)).stdout).toContain(`allow  Bash(x${MARKS})`)
    expect((await run(['keys', 'revoke', HIDDEN], dir)).stderr).toContain(MARKS)
    expect((await run([`--${HIDDEN}`], dir)).stderr).toContain(MARKS)
  })
})

test('escapes hidden characters in JSON, which keeps its value', async () => {
  await inFolder(async dir => {
    await run(['rules', 'add', `Bash(x${HIDDEN})`, '--workspace', dir], dir)
    const { stdout } = await run(['rules', 'list', '--json', '--workspace', dir], dir)
    expect(JSON.parse(stdout)).toMatchObject([{ rule: `Bash(x${HIDDEN})` }])
    expect(stdout).toMatch(/^[ -~\n]+$/)
    const audit = (await run(['keys', 'audit'], dir)).stdout
    expect(JSON.parse(audit)).toMatchObject({ details: { rule: `Bash(x${HIDDEN})` } })
    expect(audit).toMatch(/^[ -~]+\n$/)
  })
})

test('has one place that writes to the terminal', () => {
  const root = fileURLToPath(new URL('../src', import.meta.url))
  const writing = globSync('**/*.ts', { cwd: root }).filter(file =>
    /std(?:out|err)\.write|\bconsole\./.test(readFileSync(`${root}/${file}`, 'utf8')),
  )
  // main.ts writes one fixed sentence on versions of Node that cannot link terminal.ts.
  expect(writing.toSorted()).toEqual(['main.ts', 'terminal.ts'])
})

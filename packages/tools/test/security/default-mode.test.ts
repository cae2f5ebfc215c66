/**
 * The promise of the default mode: a command that could write or reach the network does not run before the user
 * was asked. Shown twice: no known dangerous form passes, however it is combined; and the passing ones are run,
 * and the kernel sees them only read.
 */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBuiltinTools } from '../../src/builtin/builtin-tools.ts'
import { createToolSystem } from '../../src/create-tool-system.ts'
import { ASKS, READS } from '../shell-corpus.ts'
import { createStage, type Stage } from '../stage.ts'
import { createWatchedShell, type WatchedShell } from './watched-shell.ts'

const BYPASSES = readFileSync(new URL('../shell-bypasses.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter(Boolean)

const system = createToolSystem({ tools: createBuiltinTools({}) })
let stage: Stage
let shell: WatchedShell
beforeAll(() => {
  stage = createStage({ tools: createBuiltinTools({}) })
  shell = createWatchedShell()
})
afterAll(() => {
  stage.close()
  shell.close()
})

/** What the whole tool system decides, not only the judge of commands. */
async function decide(command: string, cwd: string): Promise<string> {
  const session = stage.state()
  const created = session.created && { ...session.created, cwd }
  const { decision } = await system.explain({
    session_id: 'ses_1',
    session: { ...session, ...(created ? { created } : {}), permission_mode: 'default' },
    tool: 'Bash',
    input: { command },
  })
  return decision
}

/** Commands of the corpus are written for /w. */
const here = (command: string): string => command.replaceAll(/(?<![\w.])\/w(?=\/|\s|$)/g, shell.workspace)
const isOneLine = (command: string): boolean => !/[\n#\\]|<<|&$/.test(command)

const reading = fc.constantFrom(...READS.filter(isOneLine))
const asking = fc.constantFrom(...[...ASKS, ...BYPASSES].filter(isOneLine))
const operator = fc.constantFrom(' && ', ' || ', '; ', ' | ', '\n', ' & ', ' |& ')

/** Ways to put one command into another. */
const WRAPS: readonly ((inner: string) => string)[] = [
  inner => inner,
  inner => `( ${inner} )`,
  inner => `{ ${inner}; }`,
  inner => `echo "$( ${inner} )"`,
  inner => `echo \`${inner.replaceAll('`', '')}\``,
  inner => `cat <( ${inner} )`,
  inner => `if true; then ${inner}; fi`,
  inner => `for x in 1; do ${inner}; done`,
  inner => `! ${inner}`,
  inner => `ls "$( ${inner} )"`,
]

describe('the default mode', () => {
  test('asks about every command that is known to do more than read, alone', async () => {
    const allowed: string[] = []
    for (const command of [...ASKS, ...BYPASSES])
      if ((await decide(command, '/w')) === 'allow') allowed.push(command)
    expect(allowed).toEqual([])
  }, 120_000)

  test('asks about it in whatever company and wrapping', async () => {
    const line = fc
      .tuple(reading, operator, asking, fc.constantFrom(...WRAPS), fc.boolean())
      .map(([reads, joined, asks, wrap, first]) =>
        first ? wrap(asks) + joined + reads : reads + joined + wrap(asks),
      )
    await fc.assert(
      fc.asyncProperty(line, async command => {
        expect([command, await decide(command, '/w')]).not.toEqual([command, 'allow'])
      }),
      { numRuns: 400 },
    )
  }, 120_000)

  test('asks about a read-only command whose output goes into a file', async () => {
    const redirected = fc.tuple(
      reading,
      fc.constantFrom('>', '>>', '2>', '&>', '>|', '1>', '<>', '>&', '2>>', '&>>'),
      fc.constantFrom(
        'f',
        './f',
        '"f g"',
        '$HOME/f',
        '~/f',
        '/tmp/f',
        '/dev/tcp/127.0.0.1/80',
        '$(echo f)',
        '{a,b}',
      ),
    )
    await fc.assert(
      fc.asyncProperty(redirected, async ([reads, into, file]) => {
        const command = `${reads} ${into} ${file}`
        expect([command, await decide(command, '/w')]).not.toEqual([command, 'allow'])
      }),
      { numRuns: 300 },
    )
  }, 120_000)
})

describe('what the default mode lets through', () => {
  test('is watched by something that sees writes and connections', () => {
    expect(shell.effects('touch seen')).not.toEqual([])
    expect(shell.effects('exec 3<>/dev/tcp/127.0.0.1/1').length > 0).toBe(shell.canTrace)
    expect(shell.effects('cat a.txt')).toEqual([])
  })

  test('does nothing but read, as the kernel sees it, for the whole corpus', async () => {
    const wrong: unknown[] = []
    let ran = 0
    for (const command of READS.map(here)) {
      if ((await decide(command, shell.workspace)) !== 'allow') continue
      ran += 1
      const effects = shell.effects(command)
      if (effects.length > 0) wrong.push([command, effects.slice(0, 5)])
    }
    expect(wrong).toEqual([])
    expect(ran).toBeGreaterThan(80)
  }, 300_000)

  test('does nothing but read when pieces of hostile lines are mixed into harmless ones', async () => {
    const pieces = [...new Set(BYPASSES.flatMap(line => line.split(/\s+/)))].filter(isOneLine)
    const mixed = fc
      .tuple(
        reading,
        fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 3 }),
        fc.option(fc.tuple(operator, reading), { nil: undefined }),
      )
      .map(([reads, extra, more]) => `${reads} ${extra.join(' ')}${more ? more.join('') : ''}`)
    let ran = 0
    await fc.assert(
      fc.asyncProperty(mixed.map(here), async command => {
        // Enough of them to matter, few enough to wait for.
        if (ran >= 40 || (await decide(command, shell.workspace)) !== 'allow') return
        ran += 1
        expect([command, shell.effects(command)]).toEqual([command, []])
      }),
      { numRuns: 600 },
    )
    expect(ran).toBeGreaterThan(0)
  }, 300_000)
})

/** An explanation for someone with few directories shows nothing of the rest of the disk. */
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { evolve, initial, type SessionState } from '@toolwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { createToolSystem } from '../src/create-tool-system.ts'

let base: string
let mine: string
let other: string
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'toolwire-within-')))
  mine = join(base, 'mine')
  other = join(base, 'other')
  mkdirSync(join(mine, 'sub'), { recursive: true })
  mkdirSync(join(other, 'deep'), { recursive: true })
  writeFileSync(join(mine, 'sub', 'a.txt'), 'a')
  writeFileSync(join(other, 'deep', 'target.txt'), 'secret')
  symlinkSync('deep/target.txt', join(other, 'link'))
  symlinkSync('deep', join(other, '-dash'))
  mkdirSync(join(other, '.git'))
  symlinkSync('../other', join(mine, 'way-out'))
  symlinkSync('sub', join(mine, 'inner'))
})
afterEach(() => rmSync(base, { recursive: true }))

const session = (): SessionState =>
  evolve(initial(), {
    seq: 1,
    epoch: 1,
    ev: { type: 'session.created', ts: '', cwd: mine, model: 'm', tools: ['*'], permission_mode: 'default' },
  })
const system = () =>
  createToolSystem({
    tools: createBuiltinTools(),
    artifacts: join(base, 'artifacts'),
    permissions: { rules: { deny: [`Read(${mine}/sub/**)`] }, source: 'project' },
  })
const explain = (tool: string, input: unknown, within: readonly string[] = [mine]) =>
  system().explain({ session_id: 's', session: session(), tool, input, within })

describe('outside of the directories of the asker', () => {
  it.each([
    ['Read', () => ({ file_path: join(other, 'link') }), () => join(other, 'link')],
    ['Read', () => ({ file_path: 'way-out/link' }), () => join(other, 'link')],
    ['Write', () => ({ file_path: 'way-out/-dash/x', content: '' }), () => join(other, '-dash', 'x')],
    ['Grep', () => ({ pattern: 'x', path: join(other, '-dash') }), () => join(other, '-dash')],
    ['LS', () => ({ path: '/proc/self/cwd' }), () => '/proc/self/cwd'],
  ])('%s follows no link', async (tool, input, path) => {
    const told = await explain(tool, input())
    expect(told).toMatchObject({ decision: 'ask', subject: { path: path() } })
    expect(JSON.stringify(told)).not.toContain('target.txt')
    expect(JSON.stringify(told)).not.toContain(join(other, 'deep'))
  })

  it('nothing reveals if something exists', async () => {
    const asked = [
      ['Read', { file_path: join(other, 'deep', 'target.txt') }],
      ['Read', { file_path: 'way-out/link' }],
      ['Edit', { file_path: join(other, 'link'), old_string: 'a', new_string: 'b' }],
      ['Glob', { pattern: '*', path: other }],
      ['Bash', { command: `cat ${join(other, 'link')}` }],
      ['Bash', { command: `ls ${other}/*` }],
      ['Bash', { command: `cd ${other} && ls *` }],
      ['Bash', { command: `cd ${other} && git status` }],
      ['Bash', { command: `diff ${other} .` }],
      ['Bash', { command: 'ls way-out/*' }],
    ] as const
    const told = async () => await Promise.all(asked.map(([tool, input]) => explain(tool, input)))
    const before = await told()
    renameSync(other, join(base, 'gone'))
    expect(await told()).toEqual(before)
    expect(before.every(({ decision }) => decision === 'ask')).toBe(true)
  })
})

describe('inside of the directories of the asker', () => {
  it('links are followed, and rules apply to where they lead', async () => {
    expect(await explain('Read', { file_path: 'inner/a.txt' })).toMatchObject({
      decision: 'deny',
      subject: { path: join(mine, 'sub', 'a.txt') },
    })
    expect(await explain('LS', { path: 'inner' })).toMatchObject({
      subject: { path: join(mine, 'sub') },
    })
    expect(await explain('Bash', { command: 'ls' })).toMatchObject({ decision: 'allow' })
  })

  it('everything is judged as without them', async () => {
    for (const input of [{ path: '.' }, { path: 'inner' }, { path: 'missing/deeper' }]) {
      const free = await system().explain({ session_id: 's', session: session(), tool: 'LS', input })
      expect(await explain('LS', input)).toEqual(free)
    }
  })

  it('a directory that is named through a link is known by both names', async () => {
    symlinkSync(mine, join(base, 'alias'))
    mkdirSync(join(mine, 'plain'))
    for (const name of [mine, join(base, 'alias')])
      expect(await explain('LS', { path: join(name, 'plain') }, [join(base, 'alias')])).toMatchObject({
        decision: 'allow',
        subject: { path: join(mine, 'plain') },
      })
  })

  it('links in a circle end', async () => {
    symlinkSync('circle', join(mine, 'circle'))
    expect(await explain('Read', { file_path: 'circle/x' })).toMatchObject({ decision: expect.any(String) })
  })
})

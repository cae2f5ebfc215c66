/**
 * A repository that wants to be run when a worktree is made of it: whatever its configuration names, no
 * program of it runs, and making one is judged as the write that it is.
 */
import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentSpec } from '@toolwire/core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createBuiltinTools } from '../../src/builtin/builtin-tools.ts'
import { findSandbox, type SandboxOptions } from '../../src/shell/sandbox.ts'
import { until } from '../running.ts'
import { codeOf, createStage, type Stage, textOf } from '../stage.ts'

const { available } = await findSandbox()
const KEY = 'sk-provider-key'
let stage: Stage
/** What the agent does in its worktree, in place of a model. */
let work: (dir: string) => unknown
let specs: AgentSpec[] = []

function open(mode: string, sandbox?: SandboxOptions): void {
  stage = createStage({
    tools: createBuiltinTools({ bash: { sandbox } }),
    mode,
    runAgent: async (_, spec) => {
      specs.push(spec)
      if (spec.cwd !== undefined) await work(spec.cwd)
      const usage = { input: 0, output: 0, cache_read: 0, cache_write: 0, reasoning: 0 }
      const counts = { num_turns: 1, num_calls: 0, duration_ms: 0 }
      return { type: 'finished', agent_run_id: 'a', text: 'done', stop_reason: 'end', usage, ...counts }
    },
  })
  writeFileSync(stage.path('a.txt'), 'old\n')
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'first')
}
function git(...args: readonly string[]): string {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.org']
  const { status, stdout, stderr } = spawnSync('git', [...who, ...args], {
    cwd: stage.workspace,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

beforeEach(() => {
  specs = []
  work = () => {}
  vi.stubEnv('ANTHROPIC_API_KEY', KEY)
  vi.stubEnv('OPENAI_API_KEY', KEY)
})
afterEach(() => {
  vi.unstubAllEnvs()
  stage.close()
})

/** Where the programs of the repository write what they know. */
const marker = (): string => stage.path('pwned')
function program(): string {
  const path = stage.path('.git', 'run.sh')
  writeFileSync(path, `#!/bin/sh\nenv >> ${marker()}\ncat\n`, { mode: 0o755 })
  return path
}
const hook = (name: string): void => {
  const path = stage.path('.git', 'hooks', name)
  writeFileSync(path, `#!/bin/sh\nenv >> ${marker()}\n`)
  chmodSync(path, 0o755)
}
const config = (text: string): void => appendFileSync(stage.path('.git', 'config'), `\n${text}\n`)
const attributes = (text: string): void =>
  writeFileSync(stage.path('.git', 'info', 'attributes'), `${text}\n`)
const filter = (name: string, variable: string): void => {
  attributes('* filter=x')
  config(`[filter ${JSON.stringify(name)}]\n\t${variable} = ${program()}\n\trequired = true`)
}
const agent = (): Promise<unknown> => stage.one('Agent', { prompt: 'work', isolation: 'worktree' })

const POISONS: Readonly<Record<string, () => void>> = {
  'every hook': () => {
    for (const name of [
      'post-checkout',
      'post-index-change',
      'reference-transaction',
      'pre-commit',
      'update',
    ])
      hook(name)
  },
  'hooks of another directory': () => {
    hook('post-checkout')
    config(`[core]\n\thooksPath = ${stage.path('.git', 'hooks')}`)
  },
  'a smudge filter': () => filter('x', 'smudge'),
  'a clean filter': () => filter('x', 'clean'),
  'a process filter': () => filter('x', 'process'),
  'a filter of the old form': () => {
    attributes('* filter=x')
    config(`[FILTER.x]\n\tSMUDGE = ${program()}`)
  },
  'a filter of an included file': () => {
    attributes('* filter=x')
    config('[include]\n\tpath = more')
    writeFileSync(stage.path('.git', 'more'), `[filter "x"]\n\tsmudge = ${program()}\n`)
  },
  'a filter of the configuration of worktrees': () => {
    attributes('* filter=x')
    config('[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true')
    writeFileSync(stage.path('.git', 'config.worktree'), `[filter "x"]\n\tsmudge = ${program()}\n`)
  },
  'a file monitor': () => config(`[core]\n\tfsmonitor = ${program()}`),
  'drivers, pagers and signers': () => {
    attributes('* diff=x merge=x')
    const run = program()
    config(`[diff]\n\texternal = ${run}\n[diff "x"]\n\tcommand = ${run}\n\ttextconv = ${run}`)
    config(`[merge "x"]\n\tdriver = ${run}\n[gpg]\n\tprogram = ${run}\n[credential]\n\thelper = ${run}`)
    config(`[core]\n\tpager = ${run}\n\tsshCommand = ${run}\n\talternateRefsCommand = ${run}`)
    config(`[hook "x"]\n\tevent = post-checkout\n\tevent = reference-transaction\n\tcommand = ${run}`)
  },
}

describe('making a worktree', () => {
  test.each(Object.keys(POISONS))('runs nothing that the repository names: %s', async name => {
    open('bypassPermissions')
    POISONS[name]?.()
    const seen: string[] = []
    work = dir => {
      seen.push(readFileSync(join(dir, 'a.txt'), 'utf8'))
      writeFileSync(join(dir, 'a.txt'), 'new\n')
    }
    await agent()
    expect(existsSync(marker()) ? readFileSync(marker(), 'utf8') : 'nothing ran').toBe('nothing ran')
    expect(seen).toEqual(['old\n'])
    const kept = readdirSync(join(stage.dir, 'artifacts', 'ses_1', 'worktrees'))
    expect(kept).toHaveLength(1)
  })

  test.each(['a b', 'a.b=c', 'ÄÖ"\\', '', '-c', 'clean', '$(x)', '日本'])(
    'runs no filter, whatever its name is: %j',
    async name => {
      open('bypassPermissions')
      filter(name, 'smudge')
      // The attribute cannot name it when it has blanks, so that one only must do no harm.
      if (/^[^\s"\\]+$/.test(name)) attributes(`* filter=${name}`)
      await agent()
      expect(existsSync(marker())).toBe(false)
      expect(specs).toHaveLength(1)
    },
  )

  test('is refused where the configuration depends on a condition, or has names that are no text', async () => {
    open('bypassPermissions')
    attributes('* filter=x')
    config('[includeIf "gitdir:**/worktrees/**"]\n\tpath = more')
    writeFileSync(stage.path('.git', 'more'), `[filter "x"]\n\tsmudge = ${program()}\n`)
    await agent()
    expect(existsSync(marker())).toBe(false)
    expect(specs).toEqual([])
    const bytes = Buffer.from('[filter "x\xff"]\n\tsmudge = cat\n', 'latin1')
    writeFileSync(stage.path('.git', 'config'), bytes)
    await agent()
    expect(specs).toEqual([])
  })

  test('is refused where the configuration would write the files elsewhere', async () => {
    open('bypassPermissions')
    config('[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true')
    config(`[core]\n\tworktree = ${stage.dir}`)
    const call = await stage.one('Agent', { prompt: 'work', isolation: 'worktree' })
    expect(textOf(call)).toMatch(/leads its worktree elsewhere/)
    expect([existsSync(join(stage.dir, 'a.txt')), specs]).toEqual([false, []])
  })

  test('gives no secret of the server to git itself, nor to a git that the workspace put in its way', async () => {
    open('bypassPermissions')
    const bin = join(stage.dir, 'bin')
    const own = stage.path('node_modules', '.bin')
    for (const dir of [bin, own]) mkdirSync(dir, { recursive: true })
    const real = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).stdout.trim()
    writeFileSync(join(bin, 'git'), `#!/bin/sh\nenv >> ${join(stage.dir, 'seen')}\nexec ${real} "$@"\n`)
    writeFileSync(join(own, 'git'), `#!/bin/sh\nenv >> ${marker()}\nexec ${real} "$@"\n`)
    for (const dir of [bin, own]) chmodSync(join(dir, 'git'), 0o755)
    vi.stubEnv('PATH', `${own}:node_modules/.bin::${bin}:${process.env['PATH']}`)
    vi.stubEnv('GIT_DIR', join(stage.dir, 'elsewhere'))
    vi.stubEnv('GIT_EXTERNAL_DIFF', 'x')
    await agent()
    expect(specs).toHaveLength(1)
    expect(existsSync(marker())).toBe(false)
    const seen = readFileSync(join(stage.dir, 'seen'), 'utf8')
    expect(seen).not.toContain(KEY)
    expect(seen).not.toMatch(/GIT_DIR|GIT_EXTERNAL_DIFF/)
    expect(seen).toContain('GIT_TERMINAL_PROMPT=0')
  })

  test('looks into no submodule, and keeps the worktree where the agent filled one', async () => {
    open('bypassPermissions')
    const head = git('rev-parse', 'HEAD').trim()
    git('update-index', '--add', '--cacheinfo', `160000,${head},sub`)
    writeFileSync(stage.path('.gitmodules'), '[submodule "sub"]\n\tpath = sub\n\turl = x\n\tignore = none\n')
    git('add', '.gitmodules')
    git('commit', '-qm', 'second')
    await agent()
    expect(readdirSync(join(stage.dir, 'artifacts', 'ses_1', 'worktrees'))).toEqual([])
    work = dir => {
      const sub = join(dir, 'sub')
      spawnSync('git', ['clone', '-q', stage.workspace, sub])
      spawnSync('git', ['checkout', '-q', head], { cwd: sub })
      spawnSync('git', ['config', 'core.fsmonitor', program()], { cwd: sub })
    }
    await agent()
    expect(existsSync(marker())).toBe(false)
    expect(readdirSync(join(stage.dir, 'artifacts', 'ses_1', 'worktrees'))).toHaveLength(1)
  })
})

describe('a worktree counts as a write', () => {
  test.each([
    ['plan', 'denied_mode'],
    ['dontAsk', 'denied_mode'],
  ])('and is denied in the mode %s', async (mode, code) => {
    open(mode)
    hook('post-checkout')
    const call = await stage.one('Agent', { prompt: 'work', isolation: 'worktree' })
    expect([codeOf(call), specs]).toEqual([code, []])
    expect(existsSync(marker())).toBe(false)
    const plain = await stage.one('Agent', { prompt: 'look' })
    expect([textOf(plain).includes('done'), specs.length]).toEqual([true, 1])
  })

  test.each(['default', 'acceptEdits'])('and is asked about in the mode %s', async mode => {
    open(mode)
    hook('post-checkout')
    const call = await stage.one('Agent', { prompt: 'work', isolation: 'worktree' })
    expect([call.approval !== undefined, specs, existsSync(marker())]).toEqual([true, [], false])
    stage.approve(call)
    await stage.settle()
    expect([specs.length, existsSync(marker())]).toEqual([1, false])
  })

  test('and a call that a crash cut off finds its worktree again, whole', async () => {
    open('bypassPermissions')
    const path = join(stage.dir, 'artifacts', 'ses_1', 'worktrees', 'call_msg_1_0')
    mkdirSync(join(path, '..'), { recursive: true })
    git('worktree', 'add', '--quiet', '--detach', '--no-checkout', path, 'HEAD')
    const seen: string[] = []
    work = dir => {
      seen.push(readFileSync(join(dir, 'a.txt'), 'utf8'))
      // The first time it never comes back.
      return seen.length === 1 ? new Promise(() => {}) : undefined
    }
    await stage.say([{ name: 'Agent', input: { prompt: 'work', isolation: 'worktree' } }])
    void stage.settle().catch(() => {})
    await until(() => seen.length === 1)
    stage.restart()
    await stage.settle()
    expect(specs.map(spec => spec.cwd)).toEqual([path, path])
    expect(seen).toEqual(['old\n', 'old\n'])
  })
})

describe.runIf(available)('in a sandbox', () => {
  test('git makes the worktree and removes it, and is never outside', async () => {
    const bin = mkdtempSync(join(tmpdir(), 'toolwire-bin-'))
    try {
      open('bypassPermissions', { writable: [bin] })
      const real = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).stdout.trim()
      const note = join(bin, 'seen')
      const where = `[ -e /proc/${process.pid} ] && echo outside >> ${note} || echo inside >> ${note}`
      writeFileSync(join(bin, 'git'), `#!/bin/sh\n${where}\nexec ${real} "$@"\n`)
      chmodSync(join(bin, 'git'), 0o755)
      vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`)
      const seen: string[] = []
      work = dir => seen.push(readFileSync(join(dir, 'a.txt'), 'utf8'))
      const call = await stage.one('Agent', { prompt: 'work', isolation: 'worktree' })
      expect([seen, textOf(call)]).toEqual([['old\n'], expect.not.stringContaining('worktree')])
      expect(readdirSync(join(stage.dir, 'artifacts', 'ses_1', 'worktrees'))).toEqual([])
      expect(new Set(readFileSync(note, 'utf8').trim().split('\n'))).toEqual(new Set(['inside']))
    } finally {
      rmSync(bin, { recursive: true, force: true })
    }
  })
})

/** Commands and the files that rules withhold: what names one is denied, and what may open one is asked about. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { createBuiltinTools } from '../../src/builtin/builtin-tools.ts'
import type { ServedTools } from '../../src/create-tool-system.ts'
import type { RuleSet } from '../../src/permissions/rules.ts'
import { codeOf, createStage, type Stage, textOf } from '../stage.ts'

const SECRET = 'TOP-SECRET-7731'
let stage: Stage | undefined
afterEach(() => {
  stage?.close()
  stage = undefined
})

function open(rules: RuleSet, mode = 'default'): Stage {
  const made = createStage({ tools: createBuiltinTools(), permissions: { rules }, mode })
  stage = made
  mkdirSync(made.path('secrets'))
  mkdirSync(made.path('src', 'deep'), { recursive: true })
  writeFileSync(made.path('secrets', 'key.txt'), `${SECRET}\n`)
  writeFileSync(made.path('src', 'a.txt'), 'public\n')
  writeFileSync(made.path('list'), 'secrets/key.txt\0')
  symlinkSync('secrets', made.path('way'))
  symlinkSync('../secrets/key.txt', made.path('src', 'link.txt'))
  symlinkSync('../../secrets', made.path('src', 'deep', 'up'))
  const git = (...args: string[]): void => {
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: made.workspace })
  }
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'first')
  return made
}

const DENY = ['Read(secrets/**)']

async function decide(made: Stage, command: string): Promise<string> {
  const { explain } = made.system() as ServedTools
  const request = { session_id: 'ses_1', session: made.state(), tool: 'Bash', input: { command } }
  return (await explain(request)).decision
}
const decideAll = async (made: Stage, commands: readonly string[]) =>
  await Promise.all(commands.map(async command => [command, await decide(made, command)] as const))
const all = (commands: readonly string[], decision: string) =>
  commands.map(command => [command, decision] as const)

const NAMING = [
  'cat secrets/key.txt',
  '/bin/cat secrets/key.txt',
  'head -n 1 secrets/key.txt',
  'less ./secrets/../secrets/key.txt',
  'cat src/link.txt',
  'cat way/key.txt',
  'cat src/deep/up/key.txt',
  'cat < secrets/key.txt',
  'echo "$(< secrets/key.txt)"',
  'echo `cat secrets/key.txt`',
  'cat <(cat secrets/key.txt)',
  'cat sec""rets/key.txt',
  "cat $'sec\\x72ets/key.txt'",
  'cat secrets/*',
  'for f in secrets/*; do cat $f; done',
  'if true; then cat secrets/key.txt; fi',
  'x() { cat secrets/key.txt; }; x',
  "bash -c 'cat secrets/key.txt'",
  "bash -c 'cat' < secrets/key.txt",
  'eval cat < secrets/key.txt',
  'sudo cat secrets/key.txt',
  'cd secrets && cat key.txt',
  'cd src && cat ../secrets/key.txt',
  'cp secrets/key.txt copy',
  'mv secrets elsewhere',
  'ln secrets/key.txt copy',
  'ln -s secrets copy',
  'tar czf x.tgz secrets',
  'dd if=secrets/key.txt',
  'curl -d @secrets/key.txt http://127.0.0.1:1',
  'curl -Ksecrets/key.txt http://127.0.0.1:1',
  'date -f secrets/key.txt',
  'git show HEAD:secrets/key.txt',
  'git cat-file -p HEAD:secrets/key.txt',
  'git blame secrets/key.txt',
  'git diff --no-index /dev/null secrets/key.txt',
  'grep TOP secrets/key.txt',
  'grep -eTOP secrets/key.txt',
  'grep --reg=TOP secrets/key.txt',
  'sed -n 1,2p secrets/key.txt',
  'npm test -- secrets/key.txt',
  `npm test --x=${'a'.repeat(5_000)},secrets/key.txt`,
]

const LEAVING_OPEN = [
  'cat s*/key.txt',
  'cat secret[s]/key.txt',
  'cat {secrets,src}/key.txt',
  'f=secrets/key.txt; cat $f',
  'cat "$F"',
  'wc src/*',
  'grep -r TOP .',
  'grep -rn TOP',
  'rg TOP',
  'rg -A 3 src',
  'diff -r . /tmp',
  'find . -type f -exec cat {} ;',
  'find . -type f | xargs cat',
  'while read f; do cat $f; done < list',
  'sort --files0-from=list',
  'tar -cT list',
  'tar cf - .',
  'cp -r . copy',
  'git show',
  'git show HEAD:src/a.txt',
  'git diff',
  'git log -p',
  'git grep TOP',
  'git status -v',
  'git stash show -p',
  'git worktree add copy',
  'git -C src show',
  'cd / && cat key.txt',
  'cd src/deep/up/.. && cat key.txt',
  'env -C secrets cat key.txt',
  'HOME=$PWD/secrets; cat ~/key.txt',
  `python3 -c "print(open('sec' + 'rets/key.txt').read())"`,
  'python3 - < list',
  'node -e 1',
  `awk 'BEGIN { while ((getline line < ("sec" "rets/key.txt")) > 0) print line }'`,
  "sed 'r secrets/key.txt' src/a.txt",
  '[[ -v a[$(cat s*/k*)] ]]',
  `npm test ${'a='.repeat(100)}secrets/key.txt`,
  `cat ${Array.from({ length: 2_000 }, (_, i) => `f${i}`).join(' ')}`,
]

const HARMLESS = [
  'ls',
  'ls -R',
  'find . -type f',
  'pwd',
  'echo secrets/key.txt',
  'cat src/a.txt',
  'cd src && cat a.txt',
  'grep -rn secrets src',
  'rg secrets src',
  'git status',
  'git log --oneline',
  'git diff --stat',
  'git diff -- src/a.txt',
  'git show HEAD:./src/a.txt',
  'node --version',
]

describe('a command that names a withheld file', () => {
  test('is denied, whatever else allows it', async () => {
    const made = open({ deny: DENY, allow: ['Bash'] })
    expect(await decideAll(made, NAMING)).toEqual(all(NAMING, 'deny'))
  })

  test('is denied when permissions are bypassed', async () => {
    const made = open({ deny: DENY }, 'bypassPermissions')
    expect(await decideAll(made, NAMING)).toEqual(all(NAMING, 'deny'))
  })

  test('prints nothing of it when it is run', async () => {
    const made = open({ deny: DENY }, 'bypassPermissions')
    const call = await made.one('Bash', { command: 'cat secrets/key.txt' })
    expect(codeOf(call)).toBe('denied_rule')
    const background = await made.one('Bash', { command: 'cat way/key.txt', run_in_background: true })
    expect(codeOf(background)).toBe('denied_rule')
    expect(JSON.stringify(made.records)).not.toContain(SECRET)
  })

  test('is asked about where the rule asks', async () => {
    const made = open({ ask: DENY, allow: ['Bash'] })
    expect(await decideAll(made, NAMING)).toEqual(all(NAMING, 'ask'))
  })
})

describe('a command that may open a withheld file', () => {
  test.each(['default', 'acceptEdits'])(
    'asks in the mode %s, also where commands are allowed',
    async mode => {
      const made = open({ deny: DENY, allow: ['Bash'] }, mode)
      expect(await decideAll(made, LEAVING_OPEN)).toEqual(all(LEAVING_OPEN, 'ask'))
    },
  )

  test('is denied in the mode that never asks', async () => {
    const made = open({ deny: DENY, allow: ['Bash'] }, 'dontAsk')
    expect(await decideAll(made, LEAVING_OPEN)).toEqual(all(LEAVING_OPEN, 'deny'))
  })

  test('asks where a rule allows its program', async () => {
    const made = open({ deny: DENY, allow: ['Bash(cat:*)', 'Bash(find:*)', 'Bash(git:*)', 'Bash(cp:*)'] })
    const lines = ['cat s*/key.txt', 'find . -exec cat {} ;', 'git diff', 'cp -r . copy']
    expect(await decideAll(made, lines)).toEqual(all(lines, 'ask'))
  })
})

test('a line that cannot be parsed asks where files are withheld', async () => {
  const line = `cat ${'x'.repeat(21_000)}`
  expect(await decide(open({ allow: ['Bash'] }), line)).toBe('allow')
  stage?.close()
  expect(await decide(open({ deny: DENY, allow: ['Bash'] }), line)).toBe('ask')
})

test('other commands are judged as without the rule', async () => {
  const made = open({ deny: DENY })
  expect(await decideAll(made, HARMLESS)).toEqual(all(HARMLESS, 'allow'))
  expect(await decide(made, 'npm test')).toBe('ask')
  const allowed = ['npm test', 'python3 script.py', 'git commit -m "rotate secrets/key.txt"', 'git add .']
  const free = open({ deny: DENY, allow: ['Bash'] })
  expect(await decideAll(free, allowed)).toEqual(all(allowed, 'allow'))
})

test('a working directory inside of the withheld folder makes plain names withheld ones', async () => {
  const made = open({ deny: DENY })
  made.append({ type: 'note', ts: new Date(0).toISOString(), name: 'cwd', value: made.path('secrets') })
  expect(await decide(made, 'cat key.txt')).toBe('deny')
})

test('a redirection of a script in a script is judged like one of the command', async () => {
  const made = open({ allow: ['Bash(ls:*)'] })
  expect(await decide(made, "bash -c 'ls' > out.txt")).toBe('ask')
})

test('a command that changes a file of a rule against edits asks, and one that is redirected there is denied', async () => {
  const made = open({ deny: ['Edit(src/**)'], allow: ['Bash'] })
  expect(await decide(made, 'rm src/a.txt')).toBe('ask')
  expect(await decide(made, 'echo x > src/a.txt')).toBe('deny')
  expect(await decide(made, 'cat src/a.txt')).toBe('allow')
  expect(await decide(made, 'cd src && echo x > a.txt')).toBe('deny')
  expect(await decide(made, 'npm test src/a.txt > out.txt')).toBe('ask')
})

test('a rule that denies decides where another one asks about a file of the same command', async () => {
  const made = open({ deny: DENY, ask: ['Read(src/**)'], allow: ['Bash'] })
  expect(await decide(made, 'cat src/a.txt secrets/key.txt')).toBe('deny')
})

test('a line with many files or directories is judged without looking at all of them', async () => {
  const made = open({ deny: DENY })
  const looked: string[] = []
  const { judgeCommand } = await import('../../src/permissions/shell/judge-command.ts')
  const isInside = (path: string): boolean => looked.push(path) > 0
  const around = { cwd: '/w', home: '/h', entries: () => [], repository: 'none', isInside } as const
  const realPath = (path: string): string => {
    looked.push(path)
    return path
  }
  const files = `cat ${Array.from({ length: 3_000 }, (_, i) => `f${i}`).join(' ')}`
  const moves = `${'cd a/b/c;'.repeat(500)} cat x`
  for (const line of [files, moves]) {
    looked.length = 0
    const judged = judgeCommand(line, { ...around, realPath })
    expect(judged.ok && judged.commands.some(({ because }) => because !== undefined)).toBe(true)
    expect(looked.length).toBeLessThan(500)
  }
  expect(textOf(await made.one('Bash', { command: 'cat src/a.txt' }))).toContain('public')
})

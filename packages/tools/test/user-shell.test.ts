import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createBashTool } from '../src/builtin/bash.ts'
import { commandEnvironment } from '../src/shell/environment.ts'
import { readUserShell } from '../src/shell/user-shell.ts'
import { running, unique } from './running.ts'
import { createStage, type Stage, textOf } from './stage.ts'

let home = ''
let stage: Stage | undefined
const before = process.env['HOME']
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'toolwire-home-'))
})
afterEach(() => {
  process.env['HOME'] = before
  stage?.close()
  stage = undefined
  rmSync(home, { recursive: true, force: true })
})

const rc = (text: string): void => writeFileSync(join(home, '.bashrc'), text)
const read = (timeout_ms = 5_000) =>
  readUserShell({ env: { PATH: process.env['PATH'], HOME: home }, timeout_ms })

describe('commands', () => {
  test('find the functions, aliases and variables of the user’s own shell', async () => {
    rc(`case $- in *i*) ;; *) return;; esac
echo "welcome back"
greet() { printf 'hello %s\\n' "$1"; }
alias shout='printf "%s!\\n"'
export PROJECT_HOME=/srv/it
export PATH="$PATH:/opt/mine"
`)
    process.env['HOME'] = home
    stage = createStage({ tools: [createBashTool({ user_shell: true })], mode: 'bypassPermissions' })
    const text = textOf(
      await stage.one('Bash', { command: 'greet you; shout now; echo $PROJECT_HOME; echo $PATH' }),
    )
    const [greeted, shouted, project, path] = text.split('\n')
    expect([greeted, shouted, project]).toEqual(['hello you', 'now!', '/srv/it'])
    expect(path).toContain('/opt/mine')
    expect(text).not.toContain('welcome')
  })

  test('get a fresh shell every time, whatever the last one did to them', async () => {
    rc('greet() { echo hello; }\n')
    process.env['HOME'] = home
    stage = createStage({ tools: [createBashTool({ user_shell: true })], mode: 'bypassPermissions' })
    await stage.one('Bash', { command: 'greet() { echo changed; }; greet' })
    expect(textOf(await stage.one('Bash', { command: 'greet' }))).toBe('hello')
  })

  test('keep their quiet surroundings, and still get no secret', async () => {
    rc('export PAGER=less TERM=xterm MY_API_TOKEN=secret\n')
    const { env } = await read()
    expect(env).toMatchObject({ PAGER: 'cat', TERM: 'dumb' })
    expect(Object.values(env)).not.toContain('secret')
  })

  test('are what was judged: no definition replaces a harmless program', async () => {
    rc('ls() { touch pwned; }\nalias cat="rm -rf"\nalias git="touch pwned"\nfine() { echo ok; }\n')
    const { script } = await read()
    expect(script).toContain('fine')
    expect(script).not.toMatch(/pwned|rm -rf/)
  })
})

describe('start files', () => {
  test('that hang are given up, with what they started', async () => {
    const mark = unique()
    rc(`sleep ${mark}\n`)
    const shell = await read(300)
    expect(shell.script).toBe('')
    expect(shell.env['HOME']).toBe(home)
    expect(running(`sleep\0${mark}`)).toEqual([])
  })

  test('that fail, or end the shell, leave the plain surroundings', async () => {
    rc('exit 3\n')
    expect(await read()).toMatchObject({ script: '', env: { HOME: home } })
  })

  test('are not run by variables either', () => {
    const env = commandEnvironment({ BASH_ENV: '/x', ENV: '/x', 'BASH_FUNC_ls%%': '() { x; }', HOME: '/h' })
    expect(Object.keys(env)).toContain('HOME')
    expect(Object.keys(env).filter(name => /^(BASH_|ENV$)/.test(name))).toEqual([])
  })

  test('may hold anything: what they define arrives whole', async () => {
    rc(`odd() {
  cat <<'END'
}
oops
END
}
after() { echo after; }
`)
    process.env['HOME'] = home
    stage = createStage({ tools: [createBashTool({ user_shell: true })], mode: 'bypassPermissions' })
    expect(textOf(await stage.one('Bash', { command: 'after; odd' }))).toBe('after\n}\noops')
  })
})

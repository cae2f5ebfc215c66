import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { openCallNotes } from '../src/calls/call-notes.ts'
import { commandEnvironment } from '../src/shell/environment.ts'
import { sweepArtifacts } from '../src/sweep-artifacts.ts'
import { codeOf, createStage, type Stage, type StageOptions, textOf } from './stage.ts'

let stage: Stage | undefined
const open = (options: Partial<StageOptions> = {}): Stage => {
  stage = createStage({ tools: createBuiltinTools(), ...options })
  return stage
}
afterEach(() => {
  stage?.close()
  stage = undefined
})

describe('calls of one message that move the working directory', () => {
  test('run in call order, each where the former ended', async () => {
    const s = open()
    mkdirSync(s.path('one', 'two'), { recursive: true })
    const calls = await s.run(
      { name: 'Bash', input: { command: 'cd one' } },
      { name: 'Bash', input: { command: 'pwd' } },
      { name: 'Bash', input: { command: 'cd two && pwd' } },
      { name: 'Bash', input: { command: 'pwd' } },
    )
    expect(calls.map(textOf)).toEqual([
      '(no output)',
      s.path('one'),
      s.path('one', 'two'),
      s.path('one', 'two'),
    ])
  })

  test('what was harmless in the old directory is judged again in the new one', async () => {
    const s = open()
    mkdirSync(s.path('sub'))
    writeFileSync(join(s.dir, 'outside.txt'), 'secret')
    await s.one('Bash', { command: 'cd sub' })
    const calls = await s.run(
      { name: 'Bash', input: { command: 'cd ..' } },
      { name: 'Bash', input: { command: 'cat ../outside.txt' } },
    )
    expect(calls[1]?.outcome).toBeUndefined()
    expect(calls[1]?.approval?.message).toContain('outside the workspace')
  })
})

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe('images and notebooks', () => {
  test('output that is an image becomes one', async () => {
    const s = open({ mode: 'bypassPermissions' })
    const call = await s.one('Bash', { command: `echo 'data:image/png;base64,${PNG}'` })
    expect(call.outcome?.content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
    ])
    expect(s.events('tool.completed').at(-1)?.structured).toMatchObject({ isImage: true })
  })

  test('output that only starts like an image is never sent as one', async () => {
    const s = open({ mode: 'bypassPermissions' })
    const call = await s.one('Bash', { command: "echo 'data:image/png;base64,iVBORw0KGgo='" })
    expect(call.outcome?.content).toEqual([])
    expect(textOf(call)).toContain('damaged')
  })

  test('Read shows the cells of a notebook with ids and outputs', async () => {
    const s = open()
    const cells = [
      { cell_type: 'markdown', source: ['# T', 'itle'] },
      {
        id: 'abc',
        cell_type: 'code',
        source: 'print(1)',
        outputs: [
          { output_type: 'stream', text: ['1\n'] },
          { output_type: 'error', traceback: ['\u001b[31mboom\u001b[0m'] },
        ],
      },
    ]
    writeFileSync(s.path('n.ipynb'), JSON.stringify({ nbformat: 4, cells, metadata: {} }))
    const text = textOf(await s.one('Read', { file_path: s.path('n.ipynb') }))
    expect(text).toContain('<cell id="cell-0" type="markdown">\n# Title\n</cell>')
    expect(text).toContain('<cell id="abc" type="code" lang="python">\nprint(1)\n</cell>')
    expect(text).toContain('<output type="error">\nboom\n</output>')
    writeFileSync(s.path('bad.ipynb'), '{')
    expect(textOf(await s.one('Read', { file_path: s.path('bad.ipynb') }))).toContain('not valid JSON')
  })
})

test('the environment of commands holds no secret and never prompts', () => {
  const env = commandEnvironment({
    HOME: '/h',
    OPENAI_API_KEY: 'x',
    GH_TOKEN: 'x',
    DB_PASSWORD: 'x',
    DATABASE_URL: 'x',
    TOOLWIRE_API_KEYS: 'x',
    MY_SECRET: 'x',
    // What a shell would run or define before the command itself.
    BASH_ENV: 'x',
    ENV: 'x',
    PROMPT_COMMAND: 'x',
    'BASH_FUNC_ls%%': 'x',
    CDPATH: 'x',
    SHELLOPTS: 'x',
  })
  const quiet = {
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    GIT_EDITOR: 'true',
    NO_COLOR: '1',
  }
  expect(env).toMatchObject({ HOME: '/h', ...quiet, TERM: 'dumb' })
  expect(Object.values(env)).not.toContain('x')
})

test('the environment of commands holds nothing that is a secret by its name or by its value', () => {
  const dropped = {
    DB_PASS: 'x',
    SSHPASS: 'x',
    PASS: 'x',
    MYSQL_PWD: 'x',
    dbPwd: 'x',
    SENTRY_DSN: 'x',
    DSN: 'x',
    GPG_PASSPHRASE: 'x',
    GITHUB_PAT: 'x',
    ADMIN_PW: 'x',
    SESSION_COOKIE: 'x',
    SLACK_WEBHOOK_URL: 'x',
    AZURE_CONNECTION_STRING: 'x',
    REDIS_URL: 'redis://:hunter2@cache:6379/0',
    MONGO: 'mongodb+srv://app:hunter2@cluster/test',
    HTTPS_PROXY: 'http://me:hunter2@proxy:8080',
    REGISTRY: 'https://npm_abcdef@packages.example.com/',
    SQL: 'Server=db;User Id=sa;Password=hunter2;',
    LIBPQ: 'host=db user=me password=hunter2',
    PLAIN: `ghp_${'a'.repeat(36)}`,
    OTHER: `prefix sk-${'a'.repeat(40)}`,
    FOO_CREDS: 'x',
    GPG_PIN: 'x',
    TOTP_SEED: 'x',
    SESSION_SALT: 'x',
    COOKIE_SIGNING: 'x',
    APP_PRIVATE: 'x',
    CALLBACK: 'https://example.com/a?b=c&access_token=hunter2',
    BLOB: 'https://a.blob.core.windows.net/c?sv=1&sig=hunter2',
    JDBC: 'jdbc:mysql://db/app?user=me&password=hunter2',
    ALERTS: 'https://hooks.slack.com/services/T0/B0/hunter2',
    CHAT: 'https://discord.com/api/webhooks/1/hunter2',
    HEADERS: 'Authorization: Basic aHVudGVyMg==',
    UPSTREAM: 'bearer hunter2hunter2',
    SERVICE_ACCOUNT: '{"type":"service_account","private_key_id":"hunter2"}',
    DB_PASS2: 'x',
    DB_PWD_OLD: 'x',
    DSN_REPLICA: 'x',
    API_BEARER: 'x',
    WALLET_MNEMONIC: 'x',
    GO_DRIVER: 'app:hunter2@tcp(db:3306)/app',
    FORWARD: 'me:hunter2@proxy:3128',
    PEM: '-----BEGIN RSA PRIVATE KEY-----\nMII',
  }
  const kept = {
    PWD: '/w',
    OLDPWD: '/v',
    GIT_CONFIG_KEY_0: 'safe.directory',
    HOMEPAGE_URL: 'https://example.com:8080/a?b=c',
    REMOTE: 'ssh://git@github.com/a/b.git',
    NO_PROXY: 'localhost,127.0.0.1',
    JAVA_HOME: '/opt/java',
    MAILTO: 'me@example.com',
    COPY_TO: 'me@host:/srv/data',
    IMAGE: 'registry.example:5000/app',
    GOPRIVATE: 'example.com/*',
    PYTHONHASHSEED: '0',
    SPINNER: 'on',
  }
  const env = commandEnvironment({ ...dropped, ...kept })
  expect(Object.keys(dropped).filter(name => name in env)).toEqual([])
  expect(Object.entries(kept).filter(([name, value]) => env[name] !== value)).toEqual([])
})

test('a subagent starts from what its session has read, and its own notes stay its own', async () => {
  const s = open()
  s.append(
    { type: 'note', ts: '', name: 'file:/a', value: 1 },
    { type: 'agent.started', ts: '', agent_run_id: 'sub', name: 'x', parent_call_id: 'c', prompt: 'p' },
    { type: 'note', ts: '', agent_run_id: 'sub', name: 'file:/b', value: 2 },
  )
  const agent = () => s.state().agents['sub'] ?? s.state()
  const inner = openCallNotes(new Map(), { ...s.scope, agent, agent_run_id: 'sub' }, s.voice())
  const outer = openCallNotes(new Map(), s.scope, s.voice())
  expect([inner.notes.get('file:/a'), inner.notes.get('file:/b'), outer.notes.get('file:/b')]).toEqual([
    1,
    2,
    undefined,
  ])
  expect(inner.notes.names('file:')).toEqual(['file:/a', 'file:/b'])
})

test('stored outputs go when they are old or too many, but not while their session exists', async () => {
  const s = open()
  const now = 1_700_000_000_000
  for (const [name, age] of [
    ['old', 100],
    ['kept', 100],
    ['new', 1],
  ] as const) {
    mkdirSync(s.path(name))
    writeFileSync(s.path(name, 'x.log'), 'x'.repeat(1000))
    const time = now / 1000 - age
    utimesSync(s.path(name, 'x.log'), time, time)
    utimesSync(s.path(name), time, time)
  }
  const sweep = (max_bytes: number) =>
    sweepArtifacts(s.workspace, {
      now,
      max_age_ms: 50_000,
      max_bytes,
      isReferenced: async name => name === 'kept',
    })
  expect(await sweep(10_000)).toEqual(['old'])
  expect(await sweep(10)).toEqual(['new'])
  expect(existsSync(s.path('kept'))).toBe(true)
})

test('the limits of output can be set, within bounds', async () => {
  const s = open({ output: { chars: 10 } })
  const text = textOf(await s.one('Bash', { command: 'seq 1 3000' }))
  expect(text.length).toBeGreaterThan(3_500)
  expect(text.length).toBeLessThan(4_500)
  const path = /Full output: (.*?)\]/.exec(text)?.[1] ?? ''
  expect(readFileSync(path, 'utf8')).toContain('\n3000\n')
  expect(codeOf(s.state().calls[0])).toBeUndefined()
})

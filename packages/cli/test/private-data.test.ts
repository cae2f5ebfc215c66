/** Everything that the command writes with users' data is private, whatever the umask is and whatever was there before. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type FakeUpstream, startFakeUpstream } from '@toolwire/demo'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inFolder, type Launched, launch, run } from './launch.ts'

const PACKAGES = fileURLToPath(new URL('../../', import.meta.url))
/** Imported by the command before anything else, so that it runs with the widest umask. */
const UMASK = `--import=data:text/javascript,${encodeURIComponent(
  "import { isMainThread } from 'node:worker_threads'; if (isMainThread) process.umask(0)",
)}`
const WIDE = { NODE_OPTIONS: UMASK, TOOLWIRE_MEMORY: 'true' }

let fake: FakeUpstream
beforeAll(async () => {
  fake = await startFakeUpstream()
})
afterAll(() => fake.close())

/** 0 for a temporary file that is gone by now. */
const modeOf = (path: string): number => (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777

/** Modes below a folder that other users could use. The workspace holds the user's own files and is left out. */
function openEntries(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => !relative(folder, path).startsWith('workspace'))
    .concat(folder)
    .map(path => ({ path, mode: modeOf(path) }))
    .filter(({ mode }) => (mode & 0o077) !== 0)
    .map(({ path, mode }) => `${mode.toString(8)} ${relative(folder, path)}`)
}

async function call(server: Launched, tool: string, input: object): Promise<{ readonly session_id: string }> {
  const response = await fetch(`${server.url}/api/tools/${tool}/try`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input, wait_ms: 30_000 }),
  })
  expect(response.status).toBeLessThan(300)
  return (await response.json()) as { readonly session_id: string }
}

async function chat(server: Launched, message: string): Promise<void> {
  const created = await fetch(`${server.url}/api/sessions`, { method: 'POST' })
  const { id } = (await created.json()) as { readonly id: string }
  const response = await fetch(`${server.url}/api/chat/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ session_id: id, message }),
  })
  await response.text()
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(10)
}

/** Uses every feature that writes, and returns while a background command still runs. */
async function useEverything(server: Launched, data: string): Promise<void> {
  await chat(server, 'list the files')
  await call(server, 'Bash', { command: 'seq 1 20000' })
  await call(server, 'Bash', {
    command: 'while [ -e README.md ]; do sleep 0.1; done',
    run_in_background: true,
  })
  await call(server, 'MemoryWrite', { file_path: 'user/a.md', content: 'one' })
  await call(server, 'MemoryWrite', { file_path: 'user/a.md', content: 'two' })
  await call(server, 'Write', { file_path: join(data, 'workspace', 'new.txt'), content: 'mine' })
  await call(server, 'Read', { file_path: join(data, 'workspace', 'README.md') })
  const key = { key: 'sk-pasted-in-settings-wxyz', base_url: `${fake.url}/v1` }
  const put = await fetch(`${server.url}/api/providers/openai/key`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(key),
  })
  expect(await put.text()).toContain('wxyz')
  await until(() => existsSync(join(data, 'mcp')))
}

const FLAGS = ['--port', '0', '--permission-mode', 'bypassPermissions', '--record', 'recordings']
const CONFIG = { mcpServers: { idle: { command: 'sh', args: ['-c', 'sleep 1000'] } } }
const provider = () => ({ ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: fake.url })

test('every file is 0600 and every folder 0700 with umask 0: live, after a kill and after a stop', async () => {
  await inFolder(async dir => {
    const data = join(dir, '.toolwire')
    writeFileSync(join(dir, 'toolwire.config.json'), JSON.stringify(CONFIG))
    const first = await launch(dir, FLAGS, { ...WIDE, ...provider() })
    await useEverything(first, data)
    const names = readdirSync(data)
    for (const name of ['toolwire.db-wal', 'toolwire.db-shm', 'toolwire.db-open', 'toolwire.db.lock'])
      expect(names).toContain(name)
    expect(names).toEqual(expect.arrayContaining(['records.db', 'records.db-wal', 'provider-keys.json']))
    expect(names).toEqual(expect.arrayContaining(['artifacts', 'tasks', 'memory', 'mcp']))
    expect(readdirSync(join(dir, 'recordings')).length).toBeGreaterThan(0)
    // The user's own files follow the umask as ever.
    expect(modeOf(join(data, 'workspace', 'new.txt'))).toBe(0o666)
    expect(openEntries(data)).toEqual([])
    expect(openEntries(join(dir, 'recordings'))).toEqual([])
    await first.stop('SIGKILL')
    expect(openEntries(data)).toEqual([])
    const second = await launch(dir, FLAGS, { ...WIDE, ...provider() })
    expect(openEntries(data)).toEqual([])
    await second.stop()
    expect(openEntries(data)).toEqual([])
    expect((await run(['keys', 'create', '--name', 'a'], dir, WIDE)).code).toBe(0)
    expect((await run(['db', 'backup', '--out', 'all.jsonl'], dir, WIDE)).code).toBe(0)
    expect(modeOf(join(dir, 'all.jsonl'))).toBe(0o600)
    expect(openEntries(data)).toEqual([])
  })
})

test('a data folder of an earlier release is closed, and the start says so', async () => {
  await inFolder(async dir => {
    const data = join(dir, '.toolwire')
    const first = await launch(dir)
    await call(first, 'Clock', {})
    await first.stop('SIGKILL')
    for (const name of readdirSync(data)) chmodSync(join(data, name), 0o777)
    chmodSync(data, 0o755)
    mkdirSync(join(data, 'artifacts', 'old'), { recursive: true })
    chmodSync(join(data, 'artifacts'), 0o755)
    const second = await launch(dir)
    expect(modeOf(join(data, 'artifacts'))).toBe(0o700)
    rmSync(join(data, 'artifacts', 'old'), { recursive: true, force: true })
    expect(openEntries(data)).toEqual([])
    expect((await second.stop()).stderr).toContain('was open to other users; its mode is now 700')
  })
})

test('a folder that also holds other files keeps its mode, and a link in it is not followed', async () => {
  await inFolder(async dir => {
    const data = join(dir, 'shared')
    mkdirSync(data, { mode: 0o755 })
    chmodSync(data, 0o755)
    writeFileSync(join(data, 'notes.txt'), 'ours')
    chmodSync(join(data, 'notes.txt'), 0o644)
    const outside = join(dir, 'outside.json')
    writeFileSync(outside, '{}')
    chmodSync(outside, 0o644)
    symlinkSync(outside, join(data, 'trusted-rules.json'))
    const server = await launch(dir, ['--port', '0', '--data', 'shared'], WIDE)
    expect(modeOf(data)).toBe(0o755)
    expect(modeOf(outside)).toBe(0o644)
    expect(openEntries(data)).toEqual(['644 notes.txt', '644 trusted-rules.json', '755 '])
    expect((await server.stop()).stderr).toContain(`chmod 700 ${data}`)
  })
})

/** Files of the sources that create files, each with its reason. A new one belongs into one of the first two. */
const WRITERS: readonly string[] = [
  'store/src/private-files.ts', // data of the store and of the command
  'tools/src/safe-files/put-file.ts', // data of tools
  'tools/src/safe-files/held-directory.ts', // directories for both: the caller gives the mode
  'tools/src/safe-files/open-file.ts', // reads
  'tools/src/files/atomic-write.ts', // the user's files; private for memory
  'mcp/src/oauth/secret-file.ts', // the key, 0600 and never replaced
  'demo/src/record/recording-fetch.ts', // recordings, 0600
  'demo/src/record/replay-model.ts', // reads
  'store/src/sqlite/folder-files.ts', // uploaded files, 0600 in a private folder
  'store/src/sqlite/open-mark.ts', // opens a directory to sync it
  'cli/src/provider-keys/private-file.ts', // 0600 and synced
  'cli/src/config-trust.ts', // the user's configuration folder, 0600
  'cli/src/hide-environment.ts', // the memory of the process
  'cli/src/doctor/run-checks.ts', // an empty folder, removed at once
  'cli/src/testing.ts', // a temporary folder, 0700
  'cli/src/eval/run-task.ts', // a temporary folder, 0700
  'cli/src/eval/task-workspace.ts', // the files of a task in that folder
  'cli/src/workspace.ts', // the user's copy of the sample
  'cli/src/commands/db.ts', // writes to a private descriptor
  'cli/src/commands/db-backup.ts', // writes to a private descriptor
  'tools/src/shell/output-file.ts', // writes to a private descriptor
]

const ROOMS = [
  'store',
  'runtime',
  'tools',
  'mcp',
  'engine-claude',
  'demo',
  'models',
  'session',
  'server',
  'cli',
]

test('files are created in few places, all of which are listed', () => {
  const imports = /import \{([^}]*)\} from 'node:fs(?:\/promises)?'/g
  const creates =
    /\b(mkdir|mkdtemp|writeFile|appendFile|open|createWriteStream|cp|copyFile|link|symlink)(Sync)?\b/
  const sources = ROOMS.flatMap(name =>
    readdirSync(join(PACKAGES, name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map(file => `${name}/src/${file}`),
  )
  const writers = sources.filter(file =>
    [...readFileSync(join(PACKAGES, file), 'utf8').matchAll(imports)].some(([, names = '']) =>
      creates.test(names),
    ),
  )
  expect(writers.toSorted()).toEqual(WRITERS.toSorted())
})

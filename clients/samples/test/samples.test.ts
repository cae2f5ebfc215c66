/** The programs of docs/sse.md, compiled and run against the real server through a proxy that cuts their connections. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestServer, type TestServer } from 'toolwire/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProxy } from '../../../packages/client/test/cutting-proxy.ts'

const KEY = 'a-key-of-the-samples'
const page = await readFile(new URL('../../../docs/sse.md', import.meta.url), 'utf8')

interface Sample {
  readonly language: string
  readonly file: string
  /** Shows that the toolchain is there. */
  readonly probe: readonly [string, ...string[]]
  readonly compile: readonly [string, ...string[]]
  readonly run: readonly [string, ...string[]]
}

const MONO = ['-langversion:latest', '-r:System.Net.Http', '-r:System.Runtime.Serialization']
const SAMPLES: readonly Sample[] = [
  {
    language: 'go',
    file: 'main.go',
    probe: ['go', 'version'],
    compile: ['go', 'build', '-o', 'sample', 'main.go'],
    run: ['./sample'],
  },
  {
    language: 'java',
    file: 'Sse.java',
    probe: ['javac', '-version'],
    compile: ['javac', 'Sse.java'],
    run: ['java', '-Xshare:auto', '-XX:TieredStopAtLevel=1', 'Sse'],
  },
  {
    language: 'csharp',
    file: 'Sse.cs',
    probe: ['mcs', '--version'],
    compile: ['mcs', ...MONO, 'Sse.cs'],
    run: ['mono', 'Sse.exe'],
  },
]

let server: TestServer
let folder: string
beforeAll(async () => {
  server = await startTestServer({ apiKeys: [KEY] })
  folder = await mkdtemp(join(tmpdir(), 'samples-'))
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

const sourceOf = (language: string): string =>
  page.split(`\`\`\`${language}\n`)[1]?.split('\n```')[0]?.concat('\n') ?? ''

/** Runs a command to its end, without blocking this process. */
async function execute([command, ...args]: readonly [string, ...string[]]): Promise<string> {
  const env = { ...process.env, GOCACHE: join(folder, 'go-cache'), GO111MODULE: 'off', TOOLWIRE_KEY: KEY }
  const child = spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let errors = ''
  child.stdout.on('data', chunk => {
    output += chunk
  })
  child.stderr.on('data', chunk => {
    errors += chunk
  })
  const code = await new Promise<number | null>((resolve, reject) =>
    child.on('error', reject).on('close', resolve),
  )
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${errors || output}`)
  return output
}

async function get(path: string): Promise<Response> {
  return await fetch(server.url + path, { headers: { authorization: `Bearer ${KEY}` } })
}

/** The data of every event of the latest session, as one uninterrupted reader gets them. */
async function readWhole(): Promise<readonly string[]> {
  const { sessions } = (await (await get('/api/sessions')).json()) as {
    readonly sessions: readonly { id: string }[]
  }
  const text = await (await get(`/api/sessions/${sessions[0]?.id}/events?wire=chat`)).text()
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => data)
}

describe.each(SAMPLES)('the sample in $language', ({ language, file, probe, compile, run }) => {
  const isThere = spawnSync(probe[0], probe.slice(1)).status === 0

  test('has at most 60 lines', () => {
    const lines = sourceOf(language).trimEnd().split('\n').length
    expect(lines).toBeGreaterThan(30)
    expect(lines).toBeLessThanOrEqual(60)
  })

  test.runIf(isThere)('approves, and reads every event once, wherever its connections break', async () => {
    await writeFile(join(folder, file), sourceOf(language))
    await execute(compile)
    // The session and the message are sent more than once; then the stream breaks in the middle of frames.
    const proxy = await startProxy(server.url, [40, 1500, 0, 700, 300, 900, -1, 1200, 600])
    try {
      const output = await execute([...run, proxy.url])
      const whole = await readWhole()
      expect(output.trimEnd().split('\n')).toEqual(whole)
      expect(whole.filter(data => data.includes('"type":"user_message"')).length).toBeLessThanOrEqual(1)
      expect(
        whole.some(data => data.startsWith('{"type":"tool_approval"') && data.includes('"approved":true')),
      ).toBe(true)
      expect(whole.at(-1)).toContain('"type":"done"')
      expect(proxy.connections()).toBeGreaterThan(5)
    } finally {
      await proxy.close()
    }
  })
})

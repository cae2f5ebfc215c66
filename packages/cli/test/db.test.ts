/** `toolwire db …` on data that a real server wrote. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inFolder, launch, run } from './launch.ts'

/** One finished conversation in `dir`; returns its session. */
async function converse(dir: string): Promise<string> {
  const server = await launch(dir)
  const { id } = (await (await fetch(`${server.url}/api/sessions`, { method: 'POST' })).json()) as {
    id: string
  }
  const answer = await fetch(`${server.url}/api/chat/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ session_id: id, message: 'list the files' }),
  })
  expect(await answer.text()).toContain('"type":"done"')
  await server.stop()
  return id
}

test('stats, export, import into other data, prune', async () => {
  await inFolder(async dir => {
    const id = await converse(dir)
    const stats = await run(['db', 'stats'], dir)
    expect(stats.stdout).toMatch(/^sessions 1 \(1 idle\)\nevents {3}\d+ in \d+ rows\nbytes {4}\d+\n$/)

    const out = await run(['db', 'export', id, '--out', 'session.jsonl'], dir)
    expect(out).toMatchObject({ code: 0, stderr: '' })
    const lines = readFileSync(join(dir, 'session.jsonl'), 'utf8').trim().split('\n')
    expect(lines.length).toBeGreaterThan(10)

    expect(await run(['db', 'import', 'session.jsonl', '--data', 'other'], dir)).toMatchObject({
      code: 0,
      stderr: '',
    })
    const again = await run(['db', 'import', 'session.jsonl', '--data', 'other'], dir)
    expect(again.code).toBe(2)
    const copy = await run(['db', 'export', id, '--data', 'other'], dir)
    const events = (text: readonly string[]): unknown => text.slice(1).map(line => JSON.parse(line).ev)
    expect(events(copy.stdout.trim().split('\n'))).toEqual(events(lines))

    expect((await run(['db', 'prune', '--older-than', '1'], dir)).stdout).toBe('deleted 0 sessions\n')
    expect((await run(['db', 'prune', '--older-than', '0', '--dry-run'], dir)).stdout).toBe(
      'would delete 1 sessions\n',
    )
    expect((await run(['db', 'prune', '--older-than', '0'], dir)).stdout).toBe('deleted 1 sessions\n')
    expect((await run(['db', 'stats'], dir)).stdout).toMatch(/^sessions 0/)
  })
})

test('bad input gets one sentence and leaves nothing half-written', async () => {
  await inFolder(async dir => {
    const missing = await run(['db', 'export', 'nobody', '--out', 'x.jsonl'], dir)
    expect(missing.code).toBe(2)
    expect(missing.stderr).toMatch(/^toolwire: [^\n]+\n$/)
    expect(existsSync(join(dir, 'x.jsonl'))).toBe(false)
    writeFileSync(join(dir, 'bad.jsonl'), '{"nonsense":true}\n')
    const bad = await run(['db', 'import', 'bad.jsonl'], dir)
    expect(bad.code).toBe(2)
    expect(bad.stderr).toMatch(/^toolwire: [^\n]+\n$/)
    const days = await run(['db', 'prune', '--older-than', 'soon'], dir)
    expect(days.code).toBe(2)
    expect((await run(['db', 'stats'], dir)).stdout).toMatch(/^sessions 0/)
  })
})

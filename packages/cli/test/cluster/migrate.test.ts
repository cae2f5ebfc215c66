/** `toolwire db migrate` between a folder and a database, with what a real server wrote. */
import { expect, test, vi } from 'vitest'
import { createTestDatabase } from '../../../store/test/postgres/test-database.ts'
import { inFolder, launch, run } from '../launch.ts'
import { newSession } from './fleet.ts'

// Nine programs in a row, on a machine that may be busy.
vi.setConfig({ testTimeout: 400_000 })

test('sessions move from a folder to a database and back, event for event, and continue there', async () => {
  const database = await createTestDatabase()
  try {
    await inFolder(async dir => {
      const server = await launch(dir)
      const session = await newSession(server)
      const say = async (url: string, message: string): Promise<string> =>
        await (
          await fetch(`${url}/api/chat/stream`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ session_id: session, message }),
          })
        ).text()
      expect(await say(server.url, '看看当前目录下有什么文件')).toContain('"type":"done"')
      await server.stop()

      const there = await run(['db', 'migrate', '--from', '.toolwire', '--to', database.url], dir)
      expect(there).toMatchObject({ code: 0, stdout: 'copied 1 sessions, 0 were there already\n' })
      const again = await run(['db', 'migrate', '--from', '.toolwire', '--to', database.url], dir)
      expect(again.stdout).toBe('copied 0 sessions, 1 were there already\n')
      const back = await run(['db', 'migrate', '--from', database.url, '--to', 'back'], dir)
      expect(back).toMatchObject({ code: 0, stdout: 'copied 1 sessions, 0 were there already\n' })
      const events = async (...flags: readonly string[]): Promise<readonly unknown[]> =>
        (await run(['db', 'export', session, ...flags], dir)).stdout
          .trim()
          .split('\n')
          .slice(1)
          .map(line => JSON.parse(line).ev)
      const original = await events()
      expect(original.length).toBeGreaterThan(10)
      expect(await events('--data', 'back')).toEqual(original)
      expect(await events('--database', database.url)).toEqual(original)

      const second = await launch(dir, ['--port', '0', '--database', database.url])
      expect(await say(second.url, 'hello')).toContain('"type":"done"')
      await second.stop()
      const differs = await run(['db', 'migrate', '--from', '.toolwire', '--to', database.url], dir)
      expect(differs.code).toBe(4)
      expect(differs.stderr).toMatch(/^toolwire: Session \S+ is in both places and differs: [^\n]+\n$/)
    })
  } finally {
    await database.drop()
  }
})

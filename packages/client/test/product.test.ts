/** The client against the whole product: its own tools, permissions and the demo model. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inFolder, launch } from '../../cli/test/launch.ts'
import { type Client, createClient, type SessionSnapshot } from '../src/index.ts'

let client: Client
const over = Promise.withResolvers<void>()
let served: Promise<void> | undefined
beforeAll(async () => {
  const ready = Promise.withResolvers<void>()
  served = inFolder(async dir => {
    const server = await launch(dir, ['--port', '0', '--data', `${dir}/data`])
    client = createClient({ baseUrl: server.url })
    ready.resolve()
    await over.promise
    client.close()
    await server.stop()
  })
  await Promise.race([ready.promise, served])
})
afterAll(async () => {
  over.resolve()
  await served
})

const ended = ({ view }: SessionSnapshot): boolean => view.turns.at(-1)?.state === 'completed'
const firstCall = ({ view }: SessionSnapshot) => [...view.calls.values()][0]

it('stops one call, and the run continues to its end', async () => {
  const { id } = await client.sessions.create({ permission_mode: 'bypassPermissions' })
  const live = client.session(id)
  await live.send('run `sleep 600`')
  const running = await live.until(snapshot => firstCall(snapshot)?.state === 'executing')
  const call = firstCall(running)?.call_id ?? ''
  expect(await client.sessions.cancelCall(id, call, 'too slow')).toBe(true)
  const done = await live.until(ended)
  expect(firstCall(done)?.state).toBe('cancelled')
  expect(await client.sessions.cancelCall(id, call)).toBe(false)
  await expect(client.sessions.cancelCall(id, 'no-such-call')).rejects.toMatchObject({ status: 404 })
})

it('lists what was granted in a session, and takes it back', async () => {
  const { id } = await client.sessions.create()
  const live = client.session(id)
  await live.send('/ask')
  const { view } = await live.until(snapshot => snapshot.view.pending.length === 1)
  const item = view.pending[0]
  expect((await client.permissions.list(id)).grants).toEqual([])
  await client.approve(item?.id ?? '', { rule: item?.name ?? '' })
  await live.until(ended)
  const { mode, grants } = await client.permissions.list(id)
  expect(mode).toBe('default')
  expect(grants).toMatchObject([{ rule: item?.name, decision: 'allow', revocable: true }])
  await client.permissions.revoke(grants[0]?.id ?? '', id)
  expect((await client.permissions.list(id)).grants).toEqual([])
})

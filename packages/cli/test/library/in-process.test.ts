/** Sessions of an embedded instance without HTTP. */
import { afterEach, expect, it } from 'vitest'
import { createToolwire, type Toolwire } from '../../src/index.ts'
import { refundModel, refundTool } from './program.ts'

let toolwire: Toolwire
const paid: string[] = []
const start = (): Toolwire => {
  const tools = [refundTool(order => paid.push(order))]
  toolwire = createToolwire({ tools, models: { refunds: refundModel() } })
  return toolwire
}
afterEach(async () => {
  await toolwire.close()
  paid.length = 0
})

it('sends, waits for an approval, and reads every record once', async () => {
  const alice = start().as({ owner: 'alice' })
  const { id } = await alice.sessions.create({ title: 'Refund' })
  await alice.send(id, 'refund order 7')
  const seqs: number[] = []
  for await (const { seq, ev } of alice.events(id)) {
    seqs.push(seq)
    if (ev.type !== 'run.paused') continue
    expect(paid).toEqual([])
    const [item] = (await alice.sessions.get(id)).pending
    await alice.approve(item?.id ?? '')
    break
  }
  const after = seqs.at(-1) ?? 0
  for await (const { seq, ev } of alice.events(id, { after })) {
    seqs.push(seq)
    if (ev.type === 'run.completed') break
  }
  expect(paid).toEqual(['7'])
  expect(seqs).toEqual([...seqs.keys()].map(i => i + 1))
})

it('has the scopes that it is given, and the sessions of its owner alone', async () => {
  const { id } = await start().as({ owner: 'alice' }).sessions.create()
  await expect(toolwire.as({ owner: 'bob' }).sessions.get(id)).rejects.toMatchObject({
    code: 'session_not_found',
  })
  const reader = toolwire.as({ owner: 'alice', scopes: ['read'] })
  expect((await reader.sessions.get(id)).id).toBe(id)
  await expect(reader.sessions.create()).rejects.toMatchObject({ code: 'forbidden', status: 403 })
  expect((await toolwire.sessions.get(id)).id).toBe(id)
  expect(() => toolwire.as({ owner: '' })).toThrow(TypeError)
  expect(() => toolwire.as({ owner: 'alice', scopes: ['everything' as 'read'] })).toThrow('"everything"')
})

it('ends a read by its signal', async () => {
  const alice = start().as({ owner: 'alice' })
  const { id } = await alice.sessions.create()
  const leaving = new AbortController()
  const read = Array.fromAsync(alice.events(id, { signal: leaving.signal }), () => leaving.abort())
  await read.catch(error => expect(error).toMatchObject({ code: 'aborted' }))
  expect(leaving.signal.aborted).toBe(true)
})

/** Calls as tasks (SEP-2663), over bare HTTP: the official client has no tasks. */
import { createMemoryStore } from '@toolwire/store'
import { afterEach, describe, expect, it } from 'vitest'
import { type BareRequest, postMcp } from './post-mcp.ts'
import { type McpServerUnderTest, type McpTestOptions, serveMcp } from './serve-mcp.ts'

const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const ASKED = { ...TASKS, elicitation: { form: {} } }
const CHANGE = { name: 'Change', arguments: { what: 'it' } }
const AGENT = { name: 'reviewer', description: 'Reviews', settings: { system: 'Review.' } }

const servers: McpServerUnderTest[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map(server => server.close()))
})

async function start(options: McpTestOptions = {}): Promise<McpServerUnderTest> {
  const server = await serveMcp(options)
  servers.push(server)
  return server
}

interface Caller {
  readonly running: McpServerUnderTest
  readonly key: string
  readonly capabilities?: object
}

interface TaskParams {
  readonly taskId: string
  readonly inputResponses?: object
}

const send = (
  { running, key, capabilities = ASKED }: Caller,
  method: string,
  params: BareRequest['params'],
) => postMcp(running, key, { method, params, capabilities })

const call = async (caller: Caller, params: BareRequest['params']) =>
  (await send(caller, 'tools/call', params)).result
const get = async (caller: Caller, taskId: string) => (await send(caller, 'tasks/get', { taskId })).result
const update = (caller: Caller, params: TaskParams) => send(caller, 'tasks/update', { ...params })

/** Asks until the task has another status than `working`. */
async function settled(caller: Caller, taskId: string) {
  for (;;) {
    const task = await get(caller, taskId)
    if (task.status !== 'working') return task
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

async function startCaller(options: McpTestOptions = {}, capabilities: object = ASKED): Promise<Caller> {
  const running = await start({ taskAfterMs: 20, ...options })
  return { running, key: await running.newKey({ scopes: ['mcp', 'approve'] }), capabilities }
}

const approve = { action: 'accept', content: { decision: 'approve' } }

describe('a call', () => {
  it('that ends at once is a result, and one that takes longer is a task with the result', async () => {
    const caller = await startCaller({ taskAfterMs: 60_000 })
    expect(await call(caller, { name: 'Echo', arguments: { text: 'x' } })).toMatchObject({
      resultType: 'complete',
      content: [{ type: 'text', text: 'x' }],
    })
    const slow = await startCaller()
    const task = await call(slow, { name: 'Slow', arguments: {} })
    expect(task).toEqual({
      resultType: 'task',
      taskId: expect.stringMatching(/^[\w-]+\.1$/),
      status: 'working',
      createdAt: expect.stringMatching(/^\d{4}-/),
      lastUpdatedAt: expect.stringMatching(/^\d{4}-/),
      ttlMs: 86_400_000,
      pollIntervalMs: 1000,
      _meta: expect.anything(),
    })
    expect(await get(slow, task.taskId)).toMatchObject({ resultType: 'complete', status: 'working' })
    slow.running.release()
    expect(await settled(slow, task.taskId)).toMatchObject({
      status: 'completed',
      result: { content: [{ type: 'text', text: 'finished' }] },
    })
  })

  it('of a client that takes no tasks stays a request, and its other requests name what is missing', async () => {
    const caller = { ...(await startCaller()), capabilities: {} }
    const pending = call(caller, { name: 'Slow', arguments: {} })
    await caller.running.started()
    caller.running.release()
    expect((await pending).content).toEqual([{ type: 'text', text: 'finished' }])
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
      expect((await send(caller, method, { taskId: 'x.1' })).error).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: TASKS },
      })
  })

  it('is stopped by a cancelled task', async () => {
    const caller = await startCaller()
    const { taskId } = await call(caller, { name: 'Slow', arguments: {} })
    const { result } = await send(caller, 'tasks/cancel', { taskId })
    expect(result).toMatchObject({ resultType: 'complete' })
    expect(await caller.running.slowEnd()).toBe('stopped')
    expect(await settled(caller, taskId)).toMatchObject({ status: 'cancelled' })
  })
})

describe('a task that waits for an approval', () => {
  it('asks by its status, and runs once when it is answered, on another server too', async () => {
    const store = createMemoryStore()
    const first = await startCaller({ store })
    const { taskId } = await call(first, CHANGE)
    const asked = await settled(first, taskId)
    const [id = ''] = Object.keys(asked.inputRequests)
    expect(asked).toMatchObject({
      status: 'input_required',
      inputRequests: { [id]: { method: 'elicitation/create' } },
    })
    expect(asked).not.toHaveProperty('requestState')
    const second = await startCaller({ store })
    for (const inputResponses of [
      {},
      { other: approve },
      { [id]: { action: 'accept', content: {} } },
      { [id]: 1 },
    ])
      await update(second, { taskId, inputResponses })
    expect((await get(second, taskId)).inputRequests).toEqual(asked.inputRequests)
    expect((await update(second, { taskId, inputResponses: { [id]: approve } })).result.resultType).toBe(
      'complete',
    )
    expect(await settled(second, taskId)).toMatchObject({
      status: 'completed',
      result: { content: [{ type: 'text', text: 'changed it' }] },
    })
    // Said again: nothing waits any more.
    await update(second, { taskId, inputResponses: { [id]: approve } })
    expect((first.running.ran['Change'] ?? 0) + (second.running.ran['Change'] ?? 0)).toBe(1)
  })

  it.each([
    ['cannot be asked', TASKS, ['mcp', 'approve']],
    ['has a key that may not approve', ASKED, ['mcp']],
  ] as const)('names the item for the inbox when the client %s', async (_, capabilities, scopes) => {
    const { running } = await startCaller()
    const caller = { running, key: await running.newKey({ scopes: [...scopes] }), capabilities }
    const { taskId } = await call(caller, CHANGE)
    const task = await settled(caller, taskId)
    const inbox = await running.newKey({ scopes: ['read', 'approve'] })
    const [item] = (await running.as(inbox, 'GET', '/api/pending')).body.pending
    expect(task).toMatchObject({ status: 'input_required', inputRequests: {} })
    expect(task.statusMessage).toContain(item.id)
    await update(caller, { taskId, inputResponses: { [item.id]: approve } })
    expect(running.ran).toEqual({})
    await running.as(inbox, 'POST', `/api/approvals/${item.id}`, { decision: 'approved' })
    expect(await settled(caller, taskId)).toMatchObject({ status: 'completed' })
  })
})

describe('a task id', () => {
  it('of another owner, of no call, or of a tool that is not offered any more is unknown', async () => {
    const store = createMemoryStore()
    const caller = await startCaller({ store })
    const { taskId } = await call(caller, CHANGE)
    const stranger = {
      ...caller,
      key: await caller.running.newKey({ scopes: ['mcp', 'approve'], owner: 'beta' }),
    }
    const later = await startCaller({ store, offer: { tools: ['Echo'] } })
    const session = (await caller.running.as(caller.key, 'POST', '/api/sessions', {})).body?.id
    for (const [who, id] of [
      [stranger, taskId],
      [later, taskId],
      [caller, `${taskId}1`],
      [caller, `${session}.1`],
      [caller, '../x.1'],
      [caller, `${'a'.repeat(300)}.1`],
    ] as const)
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
        const { error } = await send(who, method, { taskId: id, inputResponses: {} })
        expect([method, id, error?.code]).toEqual([method, id, -32602])
      }
    expect(caller.running.ran).toEqual({})
  })
})

it('a message to an agent is a task from its start, and cancelling an ended one leaves the next alone', async () => {
  const caller = await startCaller({ offer: { agents: [AGENT] } })
  const message = (text: string, session_id?: string) =>
    call(caller, { name: 'agent_reviewer', arguments: { message: text, session_id } })
  const { taskId } = await message('echo hello')
  const ended = await settled(caller, taskId)
  expect(ended).toMatchObject({ status: 'completed', result: { structuredContent: { text: 'echo hello' } } })
  const next = await message('gate', ended.result.structuredContent.session_id)
  expect(next.taskId).not.toBe(taskId)
  await send(caller, 'tasks/cancel', { taskId })
  expect(await get(caller, next.taskId)).toMatchObject({ status: 'working' })
  expect(await get(caller, taskId)).toMatchObject({ status: 'completed', result: ended.result })
  await send(caller, 'tasks/cancel', { taskId: next.taskId })
  expect(await settled(caller, next.taskId)).toMatchObject({ status: 'cancelled' })
})

it('a run that breaks is a failed task with an error', async () => {
  const caller = await startCaller({ offer: { agents: [AGENT] } })
  const { taskId } = await call(caller, { name: 'agent_reviewer', arguments: { message: 'fail' } })
  const task = await settled(caller, taskId)
  expect(task).toMatchObject({ status: 'failed', error: { code: -32603, message: expect.any(String) } })
  expect(task).not.toHaveProperty('result')
})

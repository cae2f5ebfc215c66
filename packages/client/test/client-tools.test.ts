import { emptyView, type PendingView, type SessionView } from '@toolwire/core/view'
import { describe, expect, it, vi } from 'vitest'
import { ClientTools } from '../src/client-tools.ts'
import { ToolwireError } from '../src/index.ts'

let sessions = 0

/** A hang is a failure; a slow machine is not. */
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 60_000 })

/** A view in which calls of `paint` wait. */
const waiting = (...ids: readonly string[]): SessionView => ({
  ...emptyView(),
  pending: ids.map(
    (id): PendingView => ({
      kind: 'client_tool',
      id,
      call: id,
      call_id: id,
      name: 'paint',
      input_text: '{"colour":"红"}',
      since: 0,
    }),
  ),
})

function setUp(open: readonly string[], handler = vi.fn(() => 'done')) {
  const get = vi.fn(async () => ({ pending: waiting(...open).pending }) as never)
  const toolOutputs = vi.fn(async (_: string, __: readonly unknown[]) => ({ accepted: [] }))
  const onError = vi.fn()
  // Locks are shared by the whole process: a separate session per test.
  const tools = new ClientTools({ session_id: `s${++sessions}`, api: { get, toolOutputs }, onError })
  tools.register('paint', { handler })
  return { tools, get, toolOutputs, onError, handler }
}
const posted = (toolOutputs: ReturnType<typeof setUp>['toolOutputs']) =>
  toolOutputs.mock.calls.flatMap(call => call[1])

describe('ClientTools', () => {
  it('does not run what the server no longer waits for, whatever an old part of the log shows', async () => {
    const { tools, get, toolOutputs, handler } = setUp(['b'])
    tools.look(waiting('a', 'b'))
    await eventually(() => expect(toolOutputs).toHaveBeenCalledTimes(1))
    expect(get).toHaveBeenCalledTimes(2)
    expect(handler).toHaveBeenCalledTimes(1)
    expect(posted(toolOutputs)).toEqual([{ call_id: 'b', output: 'done' }])
  })

  it('runs a call once, however often it looks', async () => {
    const { tools, toolOutputs, handler } = setUp(['a'])
    for (let i = 0; i < 5; i++) tools.look(waiting('a'))
    await eventually(() => expect(toolOutputs).toHaveBeenCalledTimes(1))
    tools.look(waiting('a'))
    expect(handler).toHaveBeenCalledTimes(1)
    expect(handler.mock.calls[0]).toMatchObject([{ colour: '红' }, { call_id: 'a', name: 'paint' }])
  })

  it('looks again later when the server could not be asked', async () => {
    const { tools, get, toolOutputs, onError, handler } = setUp(['a'])
    get.mockRejectedValueOnce(new ToolwireError('network', 'gone', { retryable: true }))
    tools.look(waiting('a'))
    await eventually(() => expect(onError).toHaveBeenCalledTimes(1))
    expect(handler).not.toHaveBeenCalled()
    tools.look(waiting('a'))
    await eventually(() => expect(toolOutputs).toHaveBeenCalledTimes(1))
  })

  it('accepts another client’s answer, and reports other errors', async () => {
    for (const [code, told] of [
      ['already_answered', 0],
      ['expired', 0],
      ['forbidden', 1],
    ] as const) {
      const { tools, toolOutputs, onError, handler } = setUp(['a'])
      toolOutputs.mockRejectedValueOnce(new ToolwireError(code, code, { status: 409 }))
      tools.look(waiting('a'))
      await eventually(() => expect(toolOutputs).toHaveBeenCalledTimes(1))
      // Silence is only seen after everything that was due has run.
      await new Promise(resolve => setImmediate(resolve))
      await eventually(() => expect(onError).toHaveBeenCalledTimes(told))
      tools.look(waiting('a'))
      expect(handler).toHaveBeenCalledTimes(1)
    }
  })

  it('makes an error output of arguments that are not JSON', async () => {
    const { tools, toolOutputs, handler } = setUp(['a'])
    const view = waiting('a')
    tools.look({ ...view, pending: view.pending.map(item => ({ ...item, input_text: '{' })) })
    await eventually(() => expect(toolOutputs).toHaveBeenCalledTimes(1))
    expect(posted(toolOutputs)).toMatchObject([{ call_id: 'a', is_error: true }])
    expect(handler).not.toHaveBeenCalled()
  })

  it('leaves calls of unregistered tools', () => {
    const { tools, get } = setUp(['a'])
    const view = waiting('a')
    tools.look({ ...view, pending: view.pending.map(item => ({ ...item, name: 'other' })) })
    expect(get).not.toHaveBeenCalled()
  })

  it('offers registered tools until they are removed', () => {
    const { tools } = setUp([])
    const remove = tools.register('pick', { description: 'Picks.', handler: () => 1 })
    expect(tools.specs()).toEqual([
      { name: 'paint', input_schema: { type: 'object' } },
      { name: 'pick', description: 'Picks.', input_schema: { type: 'object' } },
    ])
    remove()
    expect(tools.specs().map(spec => spec.name)).toEqual(['paint'])
  })
})

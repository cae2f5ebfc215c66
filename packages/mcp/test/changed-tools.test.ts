import { afterEach, describe, expect, test } from 'vitest'
import { codeOf, textOf } from '../../tools/test/stage.ts'
import { closeAll, isReady, names, program, stageOf, start, until } from './stage-mcp.ts'

afterEach(closeAll)

async function running() {
  const mcp = start({ test: program('stdio-server.ts', 'legacy') })
  await until(mcp, isReady(mcp))
  const other = stageOf(mcp, { session_id: 'ses_other' })
  const describe = () => mcp.tools().find(tool => tool.name === 'mcp__test__shifty')?.description
  return {
    mcp,
    async morph() {
      await other.one('mcp__test__morph', {})
      await until(mcp, () => describe() === 'Sends mail')
    },
  }
}

describe('a tool that the server changed', () => {
  test('while its call waited for approval is not run', async () => {
    const { mcp, morph } = await running()
    const stage = stageOf(mcp, { mode: 'default' })
    const asked = await stage.one('mcp__test__shifty', {})
    await morph()
    stage.approve(asked)
    await stage.settle()
    expect(codeOf(stage.state().calls[0])).toBe('tool_changed')
    expect(textOf(stage.state().calls[0])).toContain('changed since it was offered')
    expect(stage.events('tool.started')).toEqual([])
  })

  test('while its call waited is not run after a restart either', async () => {
    const { mcp, morph } = await running()
    const stage = stageOf(mcp, { mode: 'default' })
    await stage.one('mcp__test__shifty', {})
    await morph()
    stage.restart()
    const [call] = stage.state().calls
    if (call) stage.approve(call)
    await stage.settle()
    expect(codeOf(stage.state().calls[0])).toBe('tool_changed')
  })

  test('after it was sent to the model and before its call is not run', async () => {
    const { mcp, morph } = await running()
    const stage = stageOf(mcp)
    stage.system().specs(stage.scope)
    await morph()
    expect(codeOf(await stage.one('mcp__test__shifty', {}))).toBe('tool_changed')
    stage.system().specs(stage.scope)
    expect(textOf(await stage.one('mcp__test__shifty', {}))).toBe('shifted')
  })
})

describe('with very many tools', () => {
  async function many() {
    const mcp = start({ bad: program('hostile-server.ts', 'giant-list') })
    await until(mcp, isReady(mcp))
    return { mcp, stage: stageOf(mcp) }
  }
  const told = (stage: Awaited<ReturnType<typeof many>>['stage']) =>
    stage
      .system()
      .specs(stage.scope)
      .map(spec => spec.name)

  test('the model gets a way to find them instead of all of them', async () => {
    const { mcp, stage } = await many()
    expect(names(mcp)).toHaveLength(501)
    expect(told(stage)).toEqual(['ToolSearch'])
  })

  test('found tools are sent from then on, over restarts too, and can be called', async () => {
    const { stage } = await many()
    const found = await stage.one('ToolSearch', { query: 't123' })
    expect(textOf(found)).toContain('mcp__bad__t123')
    expect(textOf(found)).toContain('"type":"object"')
    expect(told(stage)).toContain('mcp__bad__t123')
    await stage.one('ToolSearch', { query: 'select:mcp__bad__t7,mcp__bad__t8' })
    stage.restart()
    expect(told(stage)).toEqual(
      expect.arrayContaining(['mcp__bad__t123', 'mcp__bad__t7', 'mcp__bad__t8', 'ToolSearch']),
    )
  })

  test('a search without a match says so', async () => {
    const { stage } = await many()
    expect(textOf(await stage.one('ToolSearch', { query: 'zebra' }))).toContain('No tool fits')
  })

  test('a tool that was not searched for can still be called by its name', async () => {
    const { stage } = await many()
    await stage.say([{ name: 'mcp__bad__t1', input: { a: [] } }])
    expect(stage.state().calls[0]?.ready).toBe(true)
  })
})

import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { running, unique } from '../../tools/test/running.ts'
import { codeOf, textOf } from '../../tools/test/stage.ts'
import { closeAll, eventually, isReady, names, notesOf, program, stageOf, start, until } from './stage-mcp.ts'
import { PNG } from './test-server.ts'

afterEach(closeAll)

async function opened(era: 'modern' | 'legacy' = 'modern', more: object = {}) {
  const config = program('stdio-server.ts', era)
  const mcp = start({ test: { ...config, ...more } })
  await until(mcp, isReady(mcp))
  return { mcp, stage: stageOf(mcp) }
}

describe.each(['modern', 'legacy'] as const)('a local server of the %s era', era => {
  test('is found, listed and called', async () => {
    const { mcp, stage } = await opened(era)
    expect(mcp.status()).toMatchObject([{ name: 'test', state: 'ready', era, tools: 19, skipped: 0 }])
    expect(names(mcp)).toContain('mcp__test__echo')
    expect(stage.system().describe('mcp__test__echo', stage.scope)).toEqual({
      tool_type: 'mcp',
      executor: 'server',
      server: 'test',
      title: 'Echo',
    })
    expect(textOf(await stage.one('mcp__test__echo', { text: 'héllo' }))).toBe('héllo')
    expect(codeOf(await stage.one('mcp__test__echo', { text: 5 }))).toBe('invalid_input')
  })

  test('answers with text, structured data, images and resources, all of them', async () => {
    const { stage } = await opened(era)
    const both = await stage.one('mcp__test__structured', { with_text: true })
    expect(textOf(both)).toBe('one, in words\nStructured content:\n{\n  "n": 1\n}')
    expect(stage.events('tool.completed').at(-1)?.structured).toEqual({ n: 1 })
    expect(textOf(await stage.one('mcp__test__structured', { with_text: false }))).toBe('{\n  "n": 1\n}')
    const picture = await stage.one('mcp__test__picture', {})
    expect(textOf(picture)).toBe(
      'look\n[image/png, 9 bytes]\n[a.txt](file:///a.txt)\n[file:///b.txt]\ninside',
    )
    expect(picture.outcome?.content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
    ])
    const refused = await stage.one('mcp__test__refuse', {})
    expect(textOf(refused)).toBe('no, thank you')
    expect(refused.outcome?.is_error).toBe(true)
    expect(codeOf(refused)).toBe('mcp_error')
    expect(textOf(await stage.one('mcp__test__nothing', {}))).toBe('(no output)')
  })

  test('keeps a call alive by its progress, which people see', async () => {
    // Eight steps take longer than the idle time, one does not.
    const { stage } = await opened(era, { timeout_ms: 1_500 })
    const call = await stage.one('mcp__test__steps', { count: 8, every_ms: 250 })
    expect(textOf(call)).toBe('all steps')
    const seen = stage.events('tool.progress')
    expect(seen.length).toBeGreaterThan(1)
    for (const one of seen) expect(one).toMatchObject({ total: 8, message: `step ${one.progress}` })
  })

  test('is given up when it is silent, or runs for too long', async () => {
    const { stage } = await opened(era, { timeout_ms: 1_000, max_total_ms: 2_000 })
    expect(codeOf(await stage.one('mcp__test__hang', {}))).toBe('timeout')
    expect(codeOf(await stage.one('mcp__test__steps', { count: 100, every_ms: 200 }))).toBe('timeout')
    expect(textOf(await stage.one('mcp__test__echo', { text: 'still there' }))).toBe('still there')
  })

  test('is read again when its tools have changed', async () => {
    const { mcp, stage } = await opened(era)
    await stage.one('mcp__test__grow', {})
    await until(mcp, () => names(mcp).includes('mcp__test__grown'))
    expect(textOf(await stage.one('mcp__test__grown', {}))).toBe('here')
  })

  test('that dies in a call ends the call with an error and is started again', async () => {
    const { mcp, stage } = await opened(era)
    const call = await stage.one('mcp__test__crash', {})
    expect(codeOf(call)).toBe('mcp_error')
    expect(textOf(call)).toContain('The MCP server test failed')
    expect(textOf(call)).toContain('test server is up')
    expect(names(mcp)).toContain('mcp__test__echo')
    expect(textOf(await stage.one('mcp__test__echo', { text: 'back' }))).toBe('back')
    expect(mcp.status()).toMatchObject([{ state: 'ready' }])
  })
})

describe('a local server', () => {
  test('that dies without a call is restarted by itself', async () => {
    const mark = unique()
    // Found by its command line; it takes no notes.
    const mcp = start({ test: program('stdio-server.ts', 'modern', '', mark) })
    await until(mcp, isReady(mcp))
    const before = running(mark)
    for (const pid of before) process.kill(pid, 'SIGKILL')
    await eventually(() => running(mark).some(pid => !before.includes(pid)))
    await until(mcp, isReady(mcp))
    expect(textOf(await stageOf(mcp).one('mcp__test__echo', { text: 'back' }))).toBe('back')
  })

  test('hears of a cancelled call', async () => {
    const { stage } = await opened()
    const notes = stage.path('notes')
    const mcp = start({ test: program('stdio-server.ts', 'modern', notes) })
    await until(mcp, isReady(mcp))
    const other = stageOf(mcp)
    const ended = other.one('mcp__test__hang', {})
    await eventually(() => notesOf(notes).includes('hang started'))
    other.cancel()
    expect(codeOf(await ended)).toBe('interrupted')
    await eventually(() => notesOf(notes).includes('hang cancelled'))
  })

  test('gets the environment of its configuration and none of our secrets', async () => {
    process.env['TOOLWIRE_TEST_SECRET'] = 'secret'
    try {
      const { stage } = await opened('modern', { env: { GIVEN: 'yes' } })
      expect(JSON.parse(textOf(await stage.one('mcp__test__environment', {})))).toEqual({
        given: 'yes',
        secret: null,
      })
    } finally {
      delete process.env['TOOLWIRE_TEST_SECRET']
    }
  })

  test('is not left behind when all is closed', async () => {
    const { stage } = await opened()
    const notes = join(stage.dir, 'notes')
    const mcp = start({ test: program('stdio-server.ts', 'modern', notes) })
    await until(mcp, isReady(mcp))
    await mcp.close()
    const pids = notesOf(notes).map(line => Number(line.replace('pid ', '')))
    expect(pids.length).toBeGreaterThan(0)
    await eventually(() => pids.every(pid => !isAlive(pid)))
    expect(mcp.status()).toMatchObject([{ state: 'closed' }])
  })

  test('needs approval for every tool, unless it is trusted and the tool only reads', async () => {
    const config = program('stdio-server.ts', 'modern')
    const mcp = start({ plain: config, known: { ...config, trusted: true } })
    await until(mcp, isReady(mcp))
    const stage = stageOf(mcp, { mode: 'default' })
    const asked = await stage.one('mcp__plain__echo', { text: 'a' })
    expect(asked.outcome).toBeUndefined()
    expect(stage.events('tool.approval_requested')[0]?.details).toMatchObject({
      preview: {
        server: 'plain',
        tool: 'echo',
        source: expect.stringContaining('stdio-server.ts'),
        trusted: false,
      },
    })
    stage.approve(asked)
    await stage.settle()
    expect(textOf(await stage.one('mcp__known__echo', { text: 'b' }))).toBe('b')
    expect((await stage.one('mcp__known__nothing', {})).outcome).toBeUndefined()
  })

  test('that cannot be started holds up nothing, and says why', async () => {
    const broken = { ...program('stdio-server.ts'), command: '/does/not/exist' }
    const mcp = start({
      broken,
      silent: program('hostile-server.ts', 'silent'),
      test: program('stdio-server.ts'),
    })
    expect(mcp.tools()).toEqual([])
    await until(mcp, () => names(mcp).includes('mcp__test__echo'))
    expect(textOf(await stageOf(mcp).one('mcp__test__echo', { text: 'on' }))).toBe('on')
    const [first, second] = mcp.status()
    expect(first?.error).toContain('ENOENT')
    expect(second?.state).toBe('connecting')
  })

  test('whose start was cut off by a crash of ours is not called twice', async () => {
    const { stage } = await opened()
    await stage.say([{ name: 'mcp__test__echo', input: { text: 'a' } }])
    stage.append({
      type: 'tool.started',
      ts: new Date().toISOString(),
      call_id: stage.state().calls[0]?.call_id ?? '',
      attempt: 1,
    })
    stage.restart()
    await stage.settle()
    expect(codeOf(stage.state().calls[0])).toBe('unknown_outcome')
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

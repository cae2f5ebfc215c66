/** What the lists and the timeline of every framework are made from. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { applyRecords, createTranslate, emptyView } from '../../src/view/index.ts'
import {
  barLabel,
  barPosition,
  fencedCode,
  frameRows,
  groupWith,
  isPlainClick,
  LiveList,
  prettyFrame,
  sessionsByAge,
  type TimelineRow,
  timelineEnds,
  timelineRows,
  timelineScales,
  wireOf,
} from '../../src/view/parts/index.ts'
import { STRINGS } from '../../src/view/strings/index.ts'
import { Script } from './script.ts'

describe('the timeline', () => {
  it('has the bars of an agent below its call, one deeper, and ends when everything has ended', () => {
    const script = new Script().created().ask('go').turn('m1').call('m1', 0, 'c1', { name: 'Agent' })
    script.add('tool.started', { call_id: 'c1', attempt: 1 })
    const agent = { agent_run_id: 'a1' }
    script.add('agent.started', { ...agent, name: 'helper', parent_call_id: 'c1', prompt: 'do it' })
    script.add('turn.started', { ...agent, turn: 0, provider: 'demo', model: 'demo', attempt: 1 })
    script.add('message.started', { ...agent, message_id: 'm2', provider_message_id: 'p', role: 'assistant' })
    const rows = timelineRows(applyRecords(emptyView(), script.records))
    expect(rows.map(row => (row.type === 'bar' ? `${row.depth} ${row.kind}` : '#'))).toEqual([
      '#',
      '0 model',
      '0 tool',
      '1 model',
    ])
    const [first] = rows
    const start = first?.turn.started_at ?? 0
    expect(timelineEnds(rows, start + 5000).get(first?.turn.id ?? '')).toBe(start + 5000)
  })

  it('lasts as long as the last of its bars, also one that outlives the exchange', () => {
    const turn = { id: 't', started_at: 1000, ended_at: 2000, state: 'completed' } as TimelineRow['turn']
    const bar = {
      type: 'bar',
      name: 'x',
      title: '',
      kind: 'tool',
      state: 'success',
      depth: 0,
      turn,
      from: 1200,
    } as const
    const rows = (to: number | undefined): readonly TimelineRow[] => [
      { type: 'turn', id: 't', number: 1, title: '', turn },
      { ...bar, id: 'a', to: 1500 },
      { ...bar, id: 'b', to },
    ]
    expect(timelineEnds(rows(1900), 9000).get('t')).toBe(2000)
    expect(timelineEnds(rows(3000), 9000).get('t')).toBe(3000)
    expect(timelineEnds(rows(undefined), 9000).get('t')).toBe(9000)
  })

  it('places bars within the width of their exchange, never too thin to see', () => {
    const scale = { start: 1000, end: 2000, waits: [], active_ms: 1000, waiting_ms: 0 }
    expect(barPosition({ from: 1500, to: 2000 }, scale, 0)).toEqual({ left: 50, width: 50, ms: 500 })
    expect(barPosition({ from: 1500, to: undefined }, scale, 1750)).toMatchObject({ width: 25, ms: 250 })
    expect(barPosition({ from: 2000, to: 2000 }, scale, 0)).toEqual({ left: 98, width: 1.5, ms: 0 })
    // A bar that outlives its exchange, or was there before it, stays on the track.
    expect(barPosition({ from: 500, to: 9000 }, scale, 0)).toEqual({ left: 0, width: 100, ms: 8500 })
  })

  it('groups three or more equal neighbors until the group is opened', () => {
    const script = new Script().created().ask('Read\neverything').turn('m1')
    for (const [n, name] of ['Read', 'Read', 'Read', 'Bash', 'Read', 'Read'].entries())
      script
        .call('m1', n, `c${n}`, { name, input: { file_path: '/work/a.ts', command: 'ls' } })
        .add('tool.started', { call_id: `c${n}`, attempt: 1 })
        .done(`c${n}`)
    const view = applyRecords(emptyView(), script.endTurn('m1').completeRun().records)
    const shape = (rows: readonly TimelineRow[]) =>
      rows.map(row =>
        row.type === 'turn' ? row.title : row.type === 'group' ? `×${row.bars.length}` : row.name || 'model',
      )
    const rows = timelineRows(view)
    expect(shape(rows)).toEqual(['Read', 'model', '×3', 'Bash', 'Read', 'Read'])
    expect(groupWith(rows, 'c1')).toBe('c0')
    expect(groupWith(rows, 'c4')).toBeUndefined()
    expect(groupWith(rows, undefined)).toBeUndefined()
    expect(shape(timelineRows(view, new Set(['c0'])))).toEqual([
      'Read',
      'model',
      'Read',
      'Read',
      'Read',
      'Bash',
      'Read',
      'Read',
    ])
  })

  it('collapses waiting to a fixed width and separates it from active time', () => {
    const turn = { id: 't', started_at: 0, ended_at: 100_000, state: 'completed' } as TimelineRow['turn']
    const bar = (id: string, from: number, to: number, wait?: { from: number; to: number }): TimelineRow => ({
      type: 'bar',
      id,
      name: 'Bash',
      title: 'ls',
      kind: 'tool',
      state: 'success',
      depth: 0,
      turn,
      from,
      to,
      ...(wait ? { wait } : {}),
    })
    const rows: readonly TimelineRow[] = [
      { type: 'turn', id: 't', number: 1, title: '', turn },
      bar('a', 95_000, 100_000, { from: 5_000, to: 95_000 }),
      bar('b', 90_000, 92_000, { from: 6_000, to: 90_000 }),
    ]
    const scaled = (collapse: boolean) =>
      timelineScales(rows, timelineEnds(rows, 0), { now: 0, collapse }).get('t')
    const narrow = scaled(true)
    expect(narrow).toMatchObject({
      active_ms: 10_000,
      waiting_ms: 90_000,
      waits: [{ from: 5_000, to: 95_000 }],
    })
    if (!narrow) throw new Error('no scale')
    const wait = barPosition({ from: 5_000, to: 95_000 }, narrow, 0)
    expect(wait.width).toBeGreaterThan(4)
    expect(wait.width).toBeLessThan(8)
    expect(barPosition({ from: 0, to: 5_000 }, narrow, 0).width).toBeGreaterThan(45)
    const wide = scaled(false)
    if (!wide) throw new Error('no scale')
    expect(barPosition({ from: 5_000, to: 95_000 }, wide, 0)).toMatchObject({ left: 5, width: 90 })
    const [, first] = rows
    expect(first?.type === 'bar' && barLabel(first, narrow, 0, createTranslate(STRINGS.en))).toBe(
      'Bash, ls, 5.0s, 1m 30s waiting, after 1m 35s',
    )
  })
})

describe('rows of frames', () => {
  const frame = (data: string, id?: string, event?: string) => ({ data, id, event })

  it('give type, seq and time of every wire', () => {
    const frames = [
      frame('{"type":"run.started","ts":"2026-01-01T00:00:00.000Z"}', 's.4.2'),
      frame('{"type":"text","ts":"2026-01-01T00:00:00.250Z"}', 's.5'),
      frame('{"object":"chat.completion.chunk"}'),
      frame('{}', undefined, 'message_start'),
      frame('{"error":{"message":"no"}}'),
      frame('[DONE]'),
      frame('anything'),
    ]
    expect(frameRows(frames, '').map(row => [row.type, row.seq, row.after])).toEqual([
      ['run.started', '4', undefined],
      ['text', '5', 250],
      ['chat.completion.chunk', '', undefined],
      ['message_start', '', undefined],
      ['error', '', undefined],
      ['[DONE]', '', undefined],
      ['message', '', undefined],
    ])
    expect(frameRows(frames, ' RUN.').map(row => row.index)).toEqual([0])
  })

  it('show JSON with its structure and anything else as it is', () => {
    expect(prettyFrame('{"a":1}')).toBe('{\n  "a": 1\n}')
    expect(prettyFrame('[DONE]')).toBe('[DONE]')
    expect(wireOf('thread')).toBe('thread')
    expect(wireOf('no such')).toBe('canonical')
  })
})

describe('sessions by age', () => {
  it('are those of today, of the last days and the others, in their order', () => {
    const now = new Date(2026, 5, 15, 12).getTime()
    const at = (...date: readonly [number, number, number]) => ({
      updated_at: new Date(2026, ...date).toISOString(),
    })
    const [noon, midnight, night, week, old] = [
      at(5, 15, 11),
      at(5, 15, 0),
      at(5, 14, 23),
      at(5, 8, 0),
      at(5, 7, 23),
    ]
    expect(sessionsByAge([noon, midnight, night, week, old], now)).toEqual([
      ['today', [noon, midnight]],
      ['week', [night, week]],
      ['older', [old]],
    ])
    expect(sessionsByAge([old], now)).toEqual([['older', [old]]])
  })
})

describe('a click', () => {
  it('belongs to the page only without a key and with the first button', () => {
    const plain = { button: 0, altKey: false, ctrlKey: false, metaKey: false, shiftKey: false }
    expect(isPlainClick(plain)).toBe(true)
    for (const other of [
      { button: 1 },
      { altKey: true },
      { ctrlKey: true },
      { metaKey: true },
      { shiftKey: true },
    ])
      expect(isPlainClick({ ...plain, ...other })).toBe(false)
  })
})

describe('fenced code', () => {
  it('is the text between the fences, without their indentation', () => {
    expect(fencedCode({ raw: '```ts\na\n  b\n```\n', lang: 'ts' })).toEqual({ code: 'a\n  b', lang: 'ts' })
    expect(fencedCode({ raw: '  ~~~~\n  a\n   b\n  ~~~\n  ~~~~' })).toEqual({ code: 'a\n b\n~~~', lang: '' })
    expect(fencedCode({ raw: '```\nopen' }).code).toBe('open')
    expect(fencedCode({ raw: '```' }).code).toBe('')
  })
})

describe('a live list', () => {
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  it('reads while it has listeners and the page is visible, and keeps its items meanwhile', async () => {
    vi.useFakeTimers()
    const page = Object.assign(new EventTarget(), { hidden: false })
    vi.stubGlobal('document', page)
    const signals: AbortSignal[] = []
    const list = new LiveList<number>(async function* (signal) {
      signals.push(signal)
      yield signals.length
      yield signals.length
      await new Promise(resolve => signal.addEventListener('abort', resolve))
    })
    const told = vi.fn()
    expect(list.getSnapshot()).toEqual([])
    const leave = list.subscribe(told)
    const leaveToo = list.subscribe(() => {})
    await vi.advanceTimersByTimeAsync(150)
    expect(list.getSnapshot()).toEqual([1, 1])
    // Both came in one drawing, through one stream.
    expect(told).toHaveBeenCalledOnce()
    const show = (hidden: boolean) => {
      page.hidden = hidden
      page.dispatchEvent(new Event('visibilitychange'))
    }
    show(true)
    expect(signals.map(signal => signal.aborted)).toEqual([true])
    expect(list.getSnapshot()).toEqual([1, 1])
    show(false)
    // What has come and was not shown yet goes with the stream that brought it.
    await vi.advanceTimersByTimeAsync(50)
    show(true)
    await vi.advanceTimersByTimeAsync(150)
    expect(list.getSnapshot()).toEqual([1, 1])
    show(false)
    await vi.advanceTimersByTimeAsync(150)
    expect(list.getSnapshot()).toEqual([3, 3])
    leave()
    expect(signals[2]?.aborted).toBe(false)
    leaveToo()
    expect(signals[2]?.aborted).toBe(true)
    show(true)
    show(false)
    expect(signals).toHaveLength(3)
  })

  it('ends as it is when the stream is refused', async () => {
    vi.useFakeTimers()
    const list = new LiveList<number>(async function* () {
      yield 1
      throw new Error('refused')
    })
    list.subscribe(() => {})
    await vi.advanceTimersByTimeAsync(150)
    expect(list.getSnapshot()).toEqual([1])
  })
})

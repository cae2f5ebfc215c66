/** What the lists and the timeline of every framework are made from. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { applyRecords, emptyView } from '../../src/view/index.ts'
import {
  barPlace,
  fencedCode,
  frameRows,
  isPlainClick,
  LiveList,
  prettyFrame,
  sessionsByAge,
  type TimelineRow,
  timelineEnds,
  timelineRows,
  wireOf,
} from '../../src/view/parts/index.ts'
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
    expect(rows.map(row => (row.type === 'turn' ? '#' : `${row.depth} ${row.kind}`))).toEqual([
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
      kind: 'tool',
      state: 'success',
      depth: 0,
      turn,
      from: 1200,
    } as const
    const rows = (to: number | undefined): readonly TimelineRow[] => [
      { type: 'turn', id: 't', number: 1, turn },
      { ...bar, id: 'a', to: 1500 },
      { ...bar, id: 'b', to },
    ]
    expect(timelineEnds(rows(1900), 9000).get('t')).toBe(2000)
    expect(timelineEnds(rows(3000), 9000).get('t')).toBe(3000)
    expect(timelineEnds(rows(undefined), 9000).get('t')).toBe(9000)
  })

  it('places bars within the width of their exchange, never too thin to see', () => {
    const turn = { started_at: 1000 } as Parameters<typeof barPlace>[0]['turn']
    const bar = { type: 'bar', id: 'x', name: 'x', kind: 'tool', state: 'success', depth: 0, turn } as const
    expect(barPlace({ ...bar, from: 1500, to: 2000 }, 2000, 0)).toEqual({ left: 50, width: 50, ms: 500 })
    expect(barPlace({ ...bar, from: 1500, to: undefined }, 2000, 1750)).toMatchObject({ width: 25, ms: 250 })
    expect(barPlace({ ...bar, from: 2000, to: 2000 }, 2000, 0)).toEqual({ left: 98, width: 1.5, ms: 0 })
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

/** Text search, and what operators do with a store. */
import { AppError } from '@toolwire/core'
import { expect, test } from 'vitest'
import { completedText, delta, inputMessage, note, turnCompleted } from '../events.ts'
import { appendOne, claimOne, create, type Get, idsOf, rowOf } from './session-calls.ts'

export function describeSearch(get: Get): void {
  const found = async (text: string): Promise<readonly string[]> => (await idsOf(get(), { text })).toSorted()

  test('every word must occur, in the title or in any text, in any case', async () => {
    const store = get()
    await create(store, 'a', { index: { title: 'Weather report', text: 'It rains in Shenyang.' } })
    await create(store, 'b', { index: { title: 'Weather' } })
    await appendOne(store, { session: 'b', events: [], index: { text: 'The sun shines' } })
    await appendOne(store, { session: 'b', events: [], index: { text: 'over Beijing' } })
    expect(await found('WEATHER')).toEqual(['a', 'b'])
    expect(await found('weather rains')).toEqual(['a'])
    expect(await found('sun beijing weather')).toEqual(['b'])
    expect(await found('sun rains')).toEqual([])
    expect(await found('shen')).toEqual(['a'])
    expect(await found('yang')).toEqual([])
  })

  test('Chinese words of one, two and more characters are found inside sentences', async () => {
    const store = get()
    await create(store, 'a', { index: { title: '请查询沈阳天气', text: '今天有雨。' } })
    await create(store, 'b', { index: { text: '阳光沈默，天空无云，用GPT模型' } })
    expect(await found('沈阳')).toEqual(['a'])
    expect(await found('天气')).toEqual(['a'])
    expect(await found('沈阳天气')).toEqual(['a'])
    expect(await found('查询 有雨')).toEqual(['a'])
    expect(await found('沈')).toEqual(['a', 'b'])
    expect(await found('雨')).toEqual(['a'])
    expect(await found('gpt模型')).toEqual(['b'])
    expect(await found('阳沈')).toEqual([])
  })

  test('a new title replaces the old one in the search, texts add up', async () => {
    const store = get()
    await create(store, 'a', { index: { title: 'first', text: 'one' } })
    await appendOne(store, { session: 'a', events: [], index: { title: 'second', text: 'two' } })
    expect(await found('first')).toEqual([])
    expect(await found('second one two')).toEqual(['a'])
  })

  test('a session is found by what its model answered, once that is complete', async () => {
    const store = get()
    for (const id of ['a', 'b']) await create(store, id)
    const epoch = await claimOne(store, 'a')
    await appendOne(store, { session: 'a', as: { epoch, w: 1 }, events: [delta('half an ans')] })
    expect(await found('half')).toEqual([])
    const answer = [completedText('The pelican waits. 鹈鹕在等待。'), turnCompleted('msg_1')]
    await appendOne(store, { session: 'a', as: { epoch, w: 2 }, events: answer })
    expect(await found('pelican')).toEqual(['a'])
    expect(await found('鹈鹕')).toEqual(['a'])
    expect(await found('pelican wait')).toEqual(['a'])
    await store.remove('a')
    expect(await found('pelican')).toEqual([])
  })

  test('a session is found by all that its events say in one write, up to the end of a long answer', async () => {
    const store = get()
    const long = `${'word '.repeat(15_000)}lighthouse`
    const events = [
      note('x'),
      inputMessage('where is the heron'),
      completedText(long),
      completedText('Kestrel'),
    ]
    await create(store, 'a', { events })
    for (const text of ['heron', 'lighthouse', 'kestrel', 'heron kestrel'])
      expect(await found(text)).toEqual(['a'])
  })

  test('notices of the system and thinking are not found, and a given text takes the place of the events', async () => {
    const store = get()
    const { text: _, ...thought } = completedText('')
    await create(store, 'a', {
      events: [inputMessage('task falcon ended', 'system'), { ...thought, thinking: 'perhaps an osprey' }],
    })
    await create(store, 'b', { events: [inputMessage('sparrow')], index: { text: 'starling' } })
    for (const text of ['falcon', 'osprey', 'sparrow']) expect(await found(text)).toEqual([])
    expect(await found('starling')).toEqual(['b'])
  })

  test('what looks like query syntax is text', async () => {
    const store = get()
    await create(store, 'a', { index: { text: 'a "quoted" AND NOT word* (x) col:umn ^caret' } })
    for (const text of ['"quoted"', 'AND NOT', 'word*', '(x)', 'col:umn', '^caret', '"'])
      expect(await found(text)).toEqual(['a'])
    expect(await found('NEAR(missing)')).toEqual([])
  })

  test('a text without any word does not narrow the list', async () => {
    await create(get(), 'a')
    expect(await found('  ')).toEqual(['a'])
    expect(await found('!?')).toEqual(['a'])
  })

  test('a removed session is not found any more', async () => {
    const store = get()
    await create(store, 'a', { index: { title: 'secret', text: 'plan' } })
    await store.remove('a')
    expect(await found('secret')).toEqual([])
    await create(store, 'b')
    expect(await found('plan')).toEqual([])
  })
}

export function describeMaintenance(get: Get, tick: () => Promise<void>): void {
  test('removing returns whether there was something to remove', async () => {
    const store = get()
    await create(store, 'a')
    expect(await store.remove('a')).toBe(true)
    expect(await store.remove('a')).toBe(false)
    expect(await store.remove('never')).toBe(false)
    expect(await idsOf(store, {})).toEqual([])
  })

  test('pruning removes old idle sessions and no others; a dry run only counts them', async () => {
    const store = get()
    for (const state of ['idle', 'running', 'paused'] as const) await create(store, `old-${state}`, { state })
    await tick()
    await create(store, 'new')
    const before = (await rowOf(store, 'new'))?.updatedAt ?? 0
    expect(await store.prune({ before, dryRun: true })).toBe(1)
    expect((await idsOf(store, {})).toSorted()).toEqual(['new', 'old-idle', 'old-paused', 'old-running'])
    expect(await store.prune({ before })).toBe(1)
    expect((await idsOf(store, {})).toSorted()).toEqual(['new', 'old-paused', 'old-running'])
    expect(await appendOne(store, { session: 'old-idle', events: [] })).toEqual({ missing: 'deleted' })
  })

  test('the statistics match the content', async () => {
    const store = get()
    expect(await store.stats()).toMatchObject({ sessions: 0, events: 0, rows: 0, byState: {} })
    await create(store, 'a', { events: [note(1), note(2)], state: 'running' })
    await create(store, 'b')
    await create(store, 'gone')
    await store.remove('gone')
    const epoch = await claimOne(store, 'a')
    await appendOne(store, { session: 'a', as: { epoch, w: 1 }, events: [delta('x')] })
    const stats = await store.stats()
    expect(stats).toMatchObject({ sessions: 2, events: 4, byState: { running: 1, idle: 1 } })
    expect(stats.rows).toBeGreaterThan(0)
    expect(stats.bytes).toBeGreaterThan(0)
  })

  test('closing twice is fine, and a closed store refuses work', async () => {
    const store = get()
    await create(store, 'a')
    await Promise.all([store.close(), store.close()])
    for (const work of [store.append([]), store.read('a', 0, 1), store.list({ limit: 1 }), store.remove('a')])
      await expect(work).rejects.toSatisfy(error => AppError.is(error) && error.code === 'shutting_down')
  })

  test('what was appended before closing is answered before the store is closed', async () => {
    const store = get()
    await create(store, 'a')
    const answer = appendOne(store, { session: 'a', events: [note('last')] })
    await store.close()
    expect(await answer).toEqual({ head: 2 })
  })
}

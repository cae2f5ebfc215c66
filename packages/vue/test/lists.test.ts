/** Parts over many sessions, and over the log of one: the same page in React and in Vue at every step. */
import type { Client, InboxItem, SessionJson } from '@toolwire/client'
import { ToolwireError } from '@toolwire/client'
import { STRINGS } from '@toolwire/core/strings'
import { applyRecords, emptyView, LOCALES } from '@toolwire/core/view'
import { describe, expect, test, vi } from 'vitest'
import { Script } from '../../core/test/view/script.ts'
import { driveSession, noCommands } from '../../react/test/driven-session.ts'
import {
  bothPages,
  inboxOf,
  inspectorOf,
  type OnePage,
  samePage,
  sessionList,
  timelineOf,
} from './both-pages.ts'
import { fixedSession } from './fixtures.ts'

const NOW = Date.parse('2026-06-15T12:00:00')
const DAY = 86_400_000
const session = (id: string, age: number, more: Partial<SessionJson> = {}): SessionJson => ({
  id,
  claude_session_id: null,
  workspace_path: '/',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: new Date(NOW - age).toISOString(),
  conversation_count: 1,
  title: `Session ${id}`,
  model: 'demo',
  status: 'idle',
  is_waiting_for_tool: false,
  pending: [],
  thread_id: 1,
  ...more,
})
const SESSIONS = [
  session('a', 0, { status: 'running' }),
  session('b', 1000, { status: 'paused', title: null }),
  session('c', 3 * DAY, { status: 'failed', title: '<b>bold</b>' }),
  session('d', 30 * DAY),
]
const clientOf = (list: Client['sessions']['list']) => ({ sessions: { list } }) as unknown as Client
const each = async (pages: readonly [OnePage, OnePage], act: (page: OnePage) => Promise<void>) => {
  for (const page of pages) await act(page)
  return samePage(pages)
}

describe('the list of sessions', () => {
  test.each(LOCALES)('is drawn by age, with states and the current one (%s)', async locale => {
    const list = vi.fn(async () => ({ sessions: SESSIONS, next_cursor: null }))
    const pages = await bothPages(
      sessionList({
        client: clientOf(list),
        strings: STRINGS[locale],
        current: 'b',
        href: id => `/s/${id}`,
        clock: () => NOW,
      }),
    )
    const lines = samePage(pages)
    expect(lines.filter(line => line.includes('session-group'))).toHaveLength(3)
    for (const { texts, find } of pages) {
      expect(texts('[data-tw-part="session-title"]').slice(2)).toEqual(['<b>bold</b>', 'Session d'])
      expect(find('[data-session-id="b"]').dataset['current']).toBe('true')
      expect(find('[data-session-id="b"] a').getAttribute('aria-current')).toBe('page')
      expect(find('[data-session-id="c"]').dataset['state']).toBe('failed')
    }
    expect(list).toHaveBeenCalledWith({ limit: 100, inputs: 'short' })
  })

  test('opens a session in the page, and leaves other clicks to the browser', async () => {
    const onOpen = vi.fn()
    const pages = await bothPages(
      sessionList({
        client: clientOf(async () => ({ sessions: SESSIONS, next_cursor: null })),
        href: id => `/s/${id}`,
        onOpen,
        clock: () => NOW,
      }),
    )
    const taken: boolean[] = []
    const stay = (event: Event) => {
      taken.push(event.defaultPrevented)
      event.preventDefault()
    }
    window.addEventListener('click', stay)
    for (const page of pages) {
      await page.click('[data-session-id="a"] a')
      await page.click('[data-session-id="a"] a', { ctrlKey: true })
    }
    window.removeEventListener('click', stay)
    expect(taken).toEqual([true, false, true, false])
    expect(onOpen.mock.calls).toEqual([['a'], ['a']])
  })

  test('asks the server for what is searched, and says when there is nothing', async () => {
    const list = vi.fn(async ({ text }: { readonly text?: string } = {}) => ({
      sessions: text === undefined ? SESSIONS : [],
      next_cursor: null,
    }))
    const pages = await bothPages(
      sessionList({ client: clientOf(list), query: { tag: 'mine' }, clock: () => NOW }),
    )
    expect(samePage(pages).some(line => line.includes('<button'))).toBe(true)
    await each(pages, page => page.type('[data-tw-part="session-search"]', ' flaky '))
    expect(list).toHaveBeenLastCalledWith({ tag: 'mine', text: 'flaky' })
    for (const { texts } of pages) expect(texts('[data-tw-part="empty"]')).toEqual(['Nothing found'])
  })

  test('shows a refusal', async () => {
    const refused = () => Promise.reject(new ToolwireError('unauthorized', 'Not with this key.'))
    const pages = await bothPages(sessionList({ client: clientOf(refused) }))
    samePage(pages)
    for (const { texts } of pages) expect(texts('[role="alert"]')).toEqual(['Not with this key.'])
  })
})

describe('the inbox', () => {
  const waiting = (id: string) =>
    new Script()
      .created()
      .ask(id)
      .turn('m1')
      .call('m1', 0, 'c1', { name: 'Write', input: { file_path: `${id}.txt`, content: 'x' } })
      .add('tool.approval_requested', {
        approval_id: `ap_${id}`,
        call_id: 'c1',
        name: 'Write',
        allow_edit: true,
      })
  const item = (session_id: string): InboxItem => ({
    kind: 'approval',
    id: `ap_${session_id}`,
    call_id: 'c1',
    name: 'Write',
    input_text: '{}',
    session_id,
    message: `Write in ${session_id}`,
  })

  test('shows the cards of the first sessions and names the others, and answers in place', async () => {
    const approve = vi.fn(() => new Promise<never>(() => {}))
    const ids = ['s1', 's2', 's3', 's4', 's5']
    const client = {
      pending: async () => ids.map(item),
      session: (id: string) => driveSession(waiting(id)).source,
      sessions: { ...noCommands, approve },
    } as unknown as Client
    const pages = await bothPages(inboxOf(client, { href: id => `/s/${id}`, clock: () => NOW, live: 3 }))
    const lines = samePage(pages)
    expect(lines.filter(line => line.includes('"inbox-session"'))).toHaveLength(5)
    for (const page of pages) {
      expect(page.place.querySelectorAll('[data-tw-part="approval"]')).toHaveLength(3)
      expect(page.texts('[data-tw-part="inbox-names"]')).toEqual(['Write in s4', 'Write in s5'])
      expect(page.find('[data-session-id="s5"] a').getAttribute('href')).toBe('/s/s5')
      await page.click('[data-session-id="s2"] [data-tw-part="allow-once"]')
      // Nothing is taken for decided before the log has it.
      expect(page.place.querySelectorAll('[data-tw-part="approval"]')).toHaveLength(3)
    }
    expect(approve.mock.calls.map(call => (call as readonly unknown[])[0])).toEqual(['ap_s2', 'ap_s2'])
    samePage(pages)
  })

  test('says that nothing waits', async () => {
    const client = { pending: async () => [] } as unknown as Client
    const pages = await bothPages(inboxOf(client, {}))
    samePage(pages)
    for (const { texts } of pages) expect(texts('[data-tw-part="empty"]')).toEqual(['No pending items'])
  })
})

describe('the timeline', () => {
  const many = (count: number) => {
    const script = new Script().created().ask('go').turn('m1')
    for (let n = 0; n < count; n++)
      script
        .call('m1', n, `c${n}`, { name: n % 2 === 0 ? 'Bash' : 'Glob' })
        .add('tool.started', { call_id: `c${n}`, attempt: 1 })
        .done(`c${n}`)
    return fixedSession(applyRecords(emptyView(), script.endTurn('m1').completeRun().records))
  }

  test('has a heading per exchange and a bar for every model request and call', async () => {
    const onSelect = vi.fn()
    const given = { session: many(3), commands: noCommands, clock: () => NOW }
    const pages = await bothPages(timelineOf(given, { current: 'c1', onSelect }))
    samePage(pages)
    for (const page of pages) {
      expect(page.texts('[data-tw-part="timeline-turn"] > strong')).toEqual(['#1'])
      expect(page.texts('[data-tw-part="timeline-name"]')).toEqual(['Model', 'Bash', 'Glob', 'Bash'])
      expect(page.find('[data-kind="tool"][data-current="true"]').dataset['state']).toBe('success')
      await page.click('[data-current="true"] > button')
    }
    expect(onSelect.mock.calls).toEqual([['c1'], ['c1']])
  })

  test('zooms, groups equal neighbors, and opens the group that is pressed or holds the current call', async () => {
    const script = new Script().created().ask('go').turn('m1')
    for (let n = 0; n < 4; n++)
      script
        .call('m1', n, `c${n}`)
        .add('tool.started', { call_id: `c${n}`, attempt: 1 })
        .done(`c${n}`)
    const session = fixedSession(applyRecords(emptyView(), script.endTurn('m1').completeRun().records))
    const given = { session, commands: noCommands, clock: () => NOW }
    const pages = await bothPages(timelineOf(given))
    samePage(pages)
    for (const page of pages) {
      expect(page.texts('[data-kind="group"] [data-tw-part="timeline-title"]')).toEqual(['×4'])
      await page.click('[data-tw-part="timeline-zoom"] > button:last-child')
      const list = page.find('[data-tw-part="timeline"]')
      expect(list.style.getPropertyValue('--tw-zoom')).toBe('2')
      await page.click('[data-kind="group"] > button')
      expect(page.texts('[data-tw-part="timeline-name"]')).toEqual(['Model', 'Bash', 'Bash', 'Bash', 'Bash'])
    }
    samePage(pages)
    const pointed = await bothPages(timelineOf(given, { current: 'c2' }))
    samePage(pointed)
    for (const page of pointed) expect(page.find('[data-current="true"]').dataset['kind']).toBe('tool')
  })

  test('draws the latest rows of a long session, and more when asked', async () => {
    const given = { session: many(320), commands: noCommands, clock: () => NOW }
    const pages = await bothPages(timelineOf(given))
    const bars = (page: OnePage) => page.place.querySelectorAll('[data-tw-part="timeline-bar"]').length
    expect(pages.map(bars)).toEqual([300, 300])
    for (const page of pages) await page.click('[data-tw-part="more"]')
    expect(pages.map(bars)).toEqual([321, 321])
    for (const { place } of pages) expect(place.querySelector('[data-tw-part="more"]')).toBeNull()
  })

  test('is empty before anything has run', async () => {
    const given = { session: fixedSession(emptyView()), commands: noCommands }
    const lines = samePage(await bothPages(timelineOf(given)))
    expect(lines[0]).toContain('"empty"')
  })
})

describe('the event inspector', () => {
  const FRAMES = Array.from({ length: 310 }, (_, n) => ({
    id: `s1.${n + 1}`,
    event: undefined,
    data: JSON.stringify({
      type: n % 2 === 0 ? 'tool.started' : 'block.delta',
      ts: new Date(NOW + n * 10).toISOString(),
      text: n === 7 ? 'Needle' : '<i>hay</i>',
    }),
  }))
  const inspector = (asked: string[] = []) =>
    inspectorOf({
      session: fixedSession(emptyView()),
      commands: {
        ...noCommands,
        async *frames(_id, wire, { signal } = {}) {
          asked.push(wire)
          yield* wire === 'canonical' ? FRAMES : FRAMES.slice(0, 2)
          await new Promise(resolve => signal?.addEventListener('abort', resolve))
        },
      } as typeof noCommands,
    })

  test('shows the latest frames, finds in all of them and opens one', async () => {
    const pages = await bothPages(inspector())
    for (const page of pages) {
      expect(page.texts('[data-tw-part="events-count"]')).toEqual(['310'])
      expect(page.place.querySelectorAll('[data-tw-part="event"]')).toHaveLength(300)
      expect(page.texts('[data-tw-part="event-after"]')[0]).toMatch(/^\+/)
    }
    await each(pages, page => page.type('[data-tw-part="events-filter"]', 'needle'))
    for (const page of pages) {
      expect(page.texts('[data-tw-part="event-seq"]')).toEqual(['8'])
      expect(page.find('[data-tw-part="event"]').dataset['family']).toBe('block')
    }
    await each(pages, page => page.click('[data-tw-part="event"] > button'))
    for (const page of pages) {
      expect(page.find('[data-tw-part="event-body"] [data-tw-part="output"]').textContent).toBe(
        JSON.stringify(JSON.parse(FRAMES[7]?.data ?? ''), null, 2),
      )
      expect(page.place.querySelector('i[class], [data-tw-part="event-data"]')).toBeNull()
    }
  })

  test('reads the session through another wire, from the beginning', async () => {
    const asked: string[] = []
    const pages = await bothPages(inspector(asked))
    for (const page of pages) {
      await page.type('[data-tw-part="events-filter"]', '"tool.started"')
      await page.click('[data-tw-part="event"] > button')
      expect(page.find('[data-open="true"] [data-tw-part="event-seq"]').textContent).toBe('1')
    }
    await each(pages, page => page.type('[data-tw-part="events-wire"]', 'openai-chat'))
    expect(asked).toEqual(['canonical', 'canonical', 'openai-chat', 'openai-chat'])
    for (const page of pages) {
      expect(page.texts('[data-tw-part="events-count"]')).toEqual(['1'])
      // The same place in another wire is another frame.
      expect(page.place.querySelector('[data-open="true"]')).toBeNull()
      expect(page.find<HTMLSelectElement>('[data-tw-part="events-wire"]').value).toBe('openai-chat')
    }
  })
})

/** The thread without a browser: the same page from both packages for every log, on a server too. */
import '../../react/test/dom.ts'
import { applyRecords, emptyView } from '@toolwire/core/view'
import * as inReact from '@toolwire/react'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { createSSRApp, h } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { Script } from '../../core/test/view/script.ts'
import { driveSession, noCommands } from '../../react/test/driven-session.ts'
import * as inVue from '../src/index.ts'
import { bothPages, samePage } from './both-pages.ts'
import { fixedSession, fixtures } from './fixtures.ts'
import { normalised } from './normalised.ts'

const commands = noCommands

async function onServers(
  records: Parameters<typeof applyRecords>[1],
): Promise<readonly (readonly string[])[]> {
  const given = { session: fixedSession(applyRecords(emptyView(), records)), commands, clock: () => 0 }
  const fromReact = renderToStaticMarkup(
    createElement(inReact.SessionProvider, given, createElement(inReact.Thread)),
  )
  const fromVue = await renderToString(
    createSSRApp(() => h(inVue.SessionProvider, { ...given }, () => h(inVue.Thread))),
  )
  return [normalised(fromReact), normalised(fromVue)]
}

test.each(Object.entries(fixtures()))(
  'both packages draw the same thread on a server: %s',
  async (_, records) => {
    const [react, vue] = await onServers(records)
    expect(vue).toEqual(react)
    expect(react?.join('\n')).toContain('data-flat="true"')
    expect(react?.length).toBeGreaterThan(20)
  },
)

/** Exchanges of one message each: two rows and their end. */
function long(exchanges: number): Script {
  const script = new Script().created()
  for (let n = 0; n < exchanges; n++)
    script
      .ask(`question ${n}`, `r${n}`)
      .turn(`m${n}`)
      .text(`m${n}`, 0, ['yes'])
      .endTurn(`m${n}`)
      .completeRun()
  return script
}

test('a long thread is drawn on a server without a window, its rows left to the browser', async () => {
  for (const lines of await onServers(long(30).records)) {
    expect(lines.join('\n')).toContain('data-flat="false"')
    expect(lines.join('\n')).not.toContain('question')
  }
})

const thread = (script: Script) => {
  const driven = driveSession(script)
  const given = { session: driven.source, commands, clock: () => 0 }
  const actions = ({ id }: { readonly id: string }) => `about ${id}`
  return {
    ...driven,
    shown: {
      react: () =>
        createElement(
          inReact.SessionProvider,
          given,
          createElement(inReact.Thread, { empty: 'nobody spoke', actions }),
        ),
      vue: () =>
        h(inVue.SessionProvider, { ...given }, () =>
          h(inVue.Thread, null, {
            empty: () => 'nobody spoke',
            actions: ({ turn }: { readonly turn: { readonly id: string } }) => actions(turn),
          }),
        ),
    },
  }
}

test("an empty thread shows the page's own words, and every finished exchange the page's own controls", async () => {
  const pages = await bothPages(thread(new Script().created()).shown)
  expect(samePage(pages).join('\n')).toContain('nobody spoke')
  const spoken = await bothPages(thread(long(2)).shown)
  samePage(spoken)
  for (const page of spoken) {
    expect(page.texts('[data-tw-part="empty"]')).toEqual([])
    expect(page.texts('[data-tw-part="turn-actions"]').map(text => text.slice(-8))).toEqual([
      'about r0',
      'about r1',
    ])
  }
})

test('every row names its message or its exchange, and is silent for screen readers', async () => {
  const pages = await bothPages(thread(long(2).message('later', 'r9')).shown)
  for (const page of pages) {
    const rows = [...page.place.querySelectorAll('[data-tw-part="thread-row"]')]
    expect(rows.map(row => [row.getAttribute('data-row'), row.getAttribute('data-turn-id')])).toEqual([
      ['message:in_r0', 'r0'],
      ['message:m0', 'r0'],
      ['end:r0', 'r0'],
      ['message:in_r1', 'r1'],
      ['message:m1', 'r1'],
      ['end:r1', 'r1'],
      ['message:in_r9', null],
    ])
    const log = page.find('[data-tw-part="thread-scroll"]')
    expect([log.getAttribute('role'), log.getAttribute('aria-live')]).toEqual(['log', 'off'])
  }
})

test('an answer that is being written outlives the moment in which the thread becomes a long one', async () => {
  const script = long(19).ask('late', 'late').turn('late').call('late', 0, 'c1', { name: 'Write', input: {} })
  script.add('tool.approval_requested', {
    approval_id: 'ap1',
    call_id: 'c1',
    name: 'Write',
    allow_edit: true,
  })
  const { shown, publish } = thread(script)
  const pages = await bothPages(shown)
  const before = pages.map(page => page.find('[data-tw-part="approval"]'))
  script.message('one more', 'more1').message('and one', 'more2')
  await pages[0].act(publish)
  for (const [n, page] of pages.entries()) {
    expect(page.place.querySelectorAll('[data-tw-part="thread-row"]')).toHaveLength(62)
    expect(page.find('[data-tw-part="approval"]')).toBe(before[n])
  }
})

/** Versions of messages, the queue and attached files: the same page in both packages, and the same requests. */
import '../../react/test/dom.ts'
import type { BranchEffects } from '@toolwire/client'
import * as inReact from '@toolwire/react'
import { createElement, Fragment } from 'react'
import { expect, test } from 'vitest'
import { h } from 'vue'
import { Script } from '../../core/test/view/script.ts'
import { driveSession, noCommands } from '../../react/test/driven-session.ts'
import * as inVue from '../src/index.ts'
import { bothPages, type Given, type OnePage, type Shown, samePage } from './both-pages.ts'

const FILE = {
  type: 'file',
  source: { type: 'file', file_id: 'file_1', filename: 'a.csv', bytes: 7 },
} as const

/** Two versions of a question, the first with an exchange after it; then messages that wait. */
function written(): Script {
  const script = new Script().created()
  const exchange = (text: string, run: string) => {
    script.ask(text, run).turn(`m-${run}`).text(`m-${run}`, 0, ['yes']).endTurn(`m-${run}`)
    script.completeRun()
  }
  exchange('first', 'r1')
  exchange('after it', 'r2')
  script.at = {}
  script.add('branch.opened', {
    branch_id: 'br_1',
    parent_branch_id: 'main',
    after_seq: 1,
    reason: 'edit',
    replaces: 'in_r1',
  } as never)
  exchange('second', 'r3')
  return script
}

function queued(script: Script): Script {
  script.ask('a long run', 'r4')
  for (const run of ['q1', 'q2'])
    script.add('input.message', {
      run_id: run,
      message_id: `in_${run}`,
      role: 'user',
      content: [{ type: 'text', text: run }, FILE],
      when_running: 'queue',
    })
  return script
}

function parts(given: Given): Shown {
  return {
    react: () =>
      createElement(
        inReact.SessionProvider,
        given,
        createElement(
          Fragment,
          null,
          createElement(inReact.Conversation),
          createElement(inReact.QueueTray),
          createElement(inReact.Composer),
        ),
      ),
    vue: () =>
      h(inVue.SessionProvider, { ...given }, () => [
        h(inVue.Conversation),
        h(inVue.QueueTray),
        h(inVue.Composer),
      ]),
  }
}

const CHANGED: BranchEffects = {
  files: [{ path: '/w/src/a.ts', action: 'restored' }],
  commands: [{ call_id: 'c1', command: 'npm test' }],
  calls: [],
}

/** Commands that record what they were asked. */
function recorder(effects: BranchEffects) {
  const sent: unknown[][] = []
  const record =
    (name: string, result: unknown = null) =>
    async (...given: unknown[]) => {
      sent.push([name, ...given])
      return result as never
    }
  const commands = {
    ...noCommands,
    edit: record('edit', { effects }),
    regenerate: record('regenerate', { effects }),
    selectBranch: record('select'),
    changeQueued: record('change'),
    withdraw: record('withdraw'),
    resumeQueue: record('resume'),
    files: {
      content: record('content'),
      upload: async (file: Blob) => {
        sent.push(['upload', (file as File).name])
        if ((file as File).name === 'bad') throw new Error('no room')
        return {
          id: 'file_9',
          filename: 'good',
          bytes: 1,
          media_type: 'text/plain',
          problem: null,
          sha256: '',
          created_at: '',
          expires_at: null,
        }
      },
    },
  }
  return { sent, commands }
}

async function open(script: Script, effects: BranchEffects = CHANGED) {
  const { sent, commands } = recorder(effects)
  const pages = await bothPages(parts({ session: driveSession(script).source, commands, clock: () => 0 }))
  /** Does the same on both pages; each must send the same. */
  const both = async (act: (page: OnePage) => Promise<unknown>): Promise<unknown> => {
    const requests: unknown[] = []
    for (const page of pages) {
      await act(page)
      requests.push(sent.splice(0))
    }
    expect(requests[0]).toEqual(requests[1])
    samePage(pages)
    return requests[0]
  }
  return { pages, both }
}

test('versions are led through, and announced with what follows the hidden ones', async () => {
  const { pages, both } = await open(written())
  const [react] = pages
  expect(react.texts('[data-tw-part="branch-position"]')).toEqual(['2 of 2'])
  expect(react.texts('[data-tw-part="branch-later"]')).toEqual(['1 later messages are in another version'])
  expect(await both(page => page.click('[data-tw-part="branch-previous"]'))).toEqual([
    ['select', 's1', 'main'],
  ])
})

test('an edit lists what was changed; keeping it sends the message', async () => {
  const { both } = await open(written())
  await both(page => page.click('[data-tw-part="edit-message"]'))
  await both(page => page.type('[data-tw-part="message-editor"] textarea', 'third'))
  expect(await both(page => page.click('[data-tw-part="message-editor"] [data-tw-part="submit"]'))).toEqual([
    ['edit', 's1', 'in_r3', 'third', { effects: 'ask' }],
  ])
  const keep = '[data-tw-part="version-choice"] [data-tw-part="submit"]'
  expect(await both(page => page.click(keep))).toEqual([
    ['edit', 's1', 'in_r3', 'third', { effects: 'keep' }],
  ])
})

test('another answer without changed files is asked for at once', async () => {
  const { both } = await open(written(), { ...CHANGED, files: [] })
  const sent = await both(page => page.click('[data-tw-part="regenerate"]'))
  expect(sent).toEqual([
    ['regenerate', 's1', { message_id: 'in_r3', effects: 'ask' }],
    ['regenerate', 's1', { message_id: 'in_r3', effects: 'keep' }],
  ])
})

test('messages that wait are moved, sent now, edited with their files, and removed', async () => {
  const { pages, both } = await open(queued(written()))
  expect(pages[0].texts('[data-tw-part="queued-text"]')).toEqual(['q1 · a.csv', 'q2 · a.csv'])
  expect(await both(page => page.click('[data-tw-part="queue-down"]'))).toEqual([
    ['change', 's1', 'in_q1', { position: 1 }],
  ])
  expect(await both(page => page.click('[data-tw-part="queue-send"]'))).toEqual([
    ['change', 's1', 'in_q1', { when_running: 'steer' }],
  ])
  await both(page => page.click('[data-tw-part="queue-edit"]'))
  await both(page => page.type('[data-tw-part="queued"] textarea', 'better'))
  expect(await both(page => page.click('[data-tw-part="queued"] [data-tw-part="submit"]'))).toEqual([
    ['change', 's1', 'in_q1', { message: [{ type: 'text', text: 'better' }, FILE] }],
  ])
  expect(await both(page => page.click('[data-tw-part="queue-remove"]'))).toEqual([
    ['withdraw', 's1', 'in_q1'],
  ])
})

test('attached files are listed with their state and can be removed', async () => {
  const { pages, both } = await open(written())
  await both(page =>
    page.act(() => {
      const input = page.find<HTMLInputElement>('[data-tw-part="attach-input"]')
      const files = [new File(['x'], 'good'), new File(['x'], 'bad'), new File([], 'none')]
      Object.defineProperty(input, 'files', { configurable: true, value: files })
      Object.defineProperty(input, 'value', { configurable: true, writable: true, value: '' })
      input.dispatchEvent(new Event('change', { bubbles: true }))
    }),
  )
  expect(pages[0].texts('[data-tw-part="attachment-note"]')).toEqual(['no room', 'The file is empty'])
  expect(await both(page => page.click('[data-tw-part="attachment-retry"]'))).toEqual([['upload', 'bad']])
  for (let n = 0; n < 3; n++) await both(page => page.click('[data-tw-part="attachment-remove"]'))
  expect(pages[0].texts('[data-tw-part="attachment"]')).toEqual([])
})

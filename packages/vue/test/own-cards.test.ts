/** Cards that a page makes of the parts itself: the same page in both packages, and the ready-made ones hold nothing else. */
import '../../react/test/dom.ts'
import type { CallView } from '@toolwire/core/view'
import * as inReact from '@toolwire/react'
import { type ComponentType, createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { h, type VNode } from 'vue'
import { Script } from '../../core/test/view/script.ts'
import { driveSession, noCommands } from '../../react/test/driven-session.ts'
import * as inVue from '../src/index.ts'
import { bothPages, type Given, type Shown, samePage } from './both-pages.ts'

const asked = () =>
  new Script()
    .created()
    .ask('hi')
    .turn('m1')
    .call('m1', 0, 'c1', { name: 'Bash', input: { command: 'ls' } })
    .add('tool.started', { call_id: 'c1', attempt: 1 })
    .add('tool.progress', { call_id: 'c1', output_delta: 'a\n' })
    .call('m1', 1, 'c2', { name: 'Write', input: { file_path: 'a', content: 'b' } })
    .add('tool.approval_requested', {
      approval_id: 'ap1',
      call_id: 'c2',
      name: 'Write',
      allow_edit: true,
      message: 'May I?',
    })
    .openCall('m1', 2, 'c3')
    .add('block.delta', { block_id: 'm1.2', offset: 0, input_text: `{"command":"${'x'.repeat(300)}` })
    .call('m1', 3, 'c4', { name: 'Bash' })
    .add('tool.started', { call_id: 'c4', attempt: 1 })
    .failed('c4', 'execution')

/** The same parts, by the same names, below a provider. */
function shown(given: Partial<Given>, react: () => ReactNode, vue: () => VNode | readonly VNode[]): Shown {
  const all = { session: driveSession(asked()).source, commands: noCommands, clock: () => 0, ...given }
  return {
    react: () => createElement(inReact.SessionProvider, all, react()),
    vue: () => h(inVue.SessionProvider, { ...all }, vue),
  }
}

const HEADER = ['StatusIcon', 'Name', 'Title', 'ErrorLine', 'Status', 'Chevron'] as const
const BODY = ['Error', 'Output', 'Decision', 'Waiting', 'Actions'] as const
const FORMS = ['Preview', 'Actions', 'RulePicker', 'ArgsEditor', 'DenyForm', 'AnswerForm', 'Refusal'] as const

test('both packages have the documented parts of a call and of an approval', () => {
  for (const { ToolCall, Approval } of [inReact, inVue]) {
    const call = [
      'Root',
      'Header',
      'StatusIcon',
      'Title',
      'Elapsed',
      'Progress',
      'Args',
      'Output',
      'Error',
      'Actions',
    ]
    expect(Object.keys(ToolCall)).toEqual(expect.arrayContaining(call))
    expect(Object.keys(Approval)).toEqual(
      expect.arrayContaining(['Root', 'Preview', 'RulePicker', 'ArgsEditor', 'DenyForm']),
    )
  }
})

test.each(['c1', 'c2', 'c3', 'c4'])('the ready-made card of %s is the composition of its parts', async id => {
  const react = inReact.ToolCall
  const vue = inVue.ToolCall
  const ready = shown(
    {},
    () => createElement(react, { id }),
    () => h(vue, { id }),
  )
  const own = shown(
    {},
    () =>
      createElement(
        react.Root,
        { id },
        createElement(react.Header, null, ...HEADER.map(name => createElement(react[name], { key: name }))),
        createElement(react.Body, null, ...BODY.map(name => createElement(react[name], { key: name }))),
      ),
    () =>
      h(vue.Root, { id }, () => [
        h(vue.Header, () => HEADER.map(name => h(vue[name]))),
        h(vue.Body, () => BODY.map(name => h(vue[name]))),
      ]),
  )
  const lines = samePage(await bothPages(ready))
  expect(lines.length).toBeGreaterThan(10)
  expect(samePage(await bothPages(own))).toEqual(lines)
})

test('the ready-made question is the composition of its parts', async () => {
  const [react, vue] = [inReact.Approval, inVue.Approval]
  const { calls } = driveSession(asked()).source.getSnapshot().view
  const call = calls.get('c2')
  if (!call?.approval) throw new Error('nothing is asked')
  const given = { call, approval: call.approval }
  const ready = shown(
    {},
    () => createElement(react, given),
    () => h(vue, given),
  )
  const own = shown(
    {},
    () =>
      createElement(
        react.Root,
        { id: 'c2' },
        ...FORMS.map(name => createElement(react[name] as ComponentType, { key: name })),
      ),
    () => h(vue.Root, { id: 'c2' }, () => FORMS.map(name => h(vue[name]))),
  )
  const lines = samePage(await bothPages(ready))
  expect(samePage(await bothPages(own))).toEqual(lines)
  // Outside of the call's card it shows what would run.
  expect(lines.join('\n')).toContain('data-tw-part="file"')
})

test('every part names itself and the state of its call, and shows what a page puts into it', async () => {
  const names = [
    'Header',
    'StatusIcon',
    'Name',
    'Title',
    'Status',
    'Elapsed',
    'Progress',
    'Chevron',
    'Body',
  ] as const
  const more = ['Output', 'Actions', 'Args'] as const
  const all = [...names, ...more]
  const [react, vue] = [inReact.ToolCall, inVue.ToolCall]
  const words = (name: string, call: { readonly call_id: string }) => `${name} of ${call.call_id}`
  const pages = await bothPages(
    shown(
      {},
      () =>
        createElement(
          react.Root,
          { id: 'c1' },
          ...all.map(name =>
            createElement(react[name], { key: name }, ((call: CallView) => words(name, call)) as never),
          ),
        ),
      () =>
        h(vue.Root, { id: 'c1' }, () =>
          all.map(name =>
            h(vue[name], null, { default: ({ call }: inVue.ToolCallCardProps) => words(name, call) }),
          ),
        ),
    ),
  )
  samePage(pages)
  for (const page of pages) {
    const parts = [...page.find('[data-tw-part="tool-call"]').children]
    expect(parts.map(part => part.textContent)).toEqual(all.map(name => `${name} of c1`))
    expect(new Set(parts.map(part => part.getAttribute('data-tw-state')))).toEqual(new Set(['executing']))
    expect(new Set(parts.map(part => part.getAttribute('data-tw-part'))).size).toBe(all.length)
  }
})

test('forms that are always open decide by themselves, and an error is shown', async () => {
  const [react, vue] = [inReact.Approval, inVue.Approval]
  const deny = vi.fn(() => Promise.reject(new Error('too late')))
  const approve = vi.fn(() => Promise.resolve())
  const given = { commands: { ...noCommands, deny, approve } as unknown as typeof noCommands }
  const pages = await bothPages(
    shown(
      given,
      () =>
        createElement(
          react.Root,
          { id: 'c2' },
          createElement(react.DenyForm, { open: true }),
          createElement(react.RulePicker, { open: true }),
          createElement(react.Refusal),
        ),
      () =>
        h(vue.Root, { id: 'c2' }, () => [
          h(vue.DenyForm, { open: true }),
          h(vue.RulePicker, { open: true }),
          h(vue.Refusal),
        ]),
    ),
  )
  for (const page of pages) {
    expect(page.texts('[data-tw-part="back"]')).toEqual([])
    await page.click('[data-tw-part="deny-form"] [data-tw-part="submit"]')
    expect(deny.mock.lastCall).toEqual(['ap1', undefined])
    expect(page.texts('[role="alert"]')).toEqual(['too late'])
    await page.click('[data-tw-part="rule-picker"] [data-tw-part="submit"]')
    expect(approve.mock.lastCall).toEqual(['ap1', expect.objectContaining({ rule: expect.any(String) })])
    expect(page.find('[data-tw-part="approval"]').getAttribute('data-tw-state')).toBe('sending')
    deny.mockClear()
    approve.mockClear()
  }
})

test('a part outside of its root says which one it needs', () => {
  const given = { session: driveSession(asked()).source, commands: noCommands }
  const alone = (part: Parameters<typeof createElement>[0]) => () =>
    renderToStaticMarkup(createElement(inReact.SessionProvider, given, createElement(part)))
  expect(alone(inReact.ToolCall.Title)).toThrow('<ToolCall.Root>')
  expect(alone(inReact.Approval.DenyForm)).toThrow('<Approval.Root>')
})

test("a page's own component draws the calls of its tool, everywhere or in one thread, and other tools keep their cards", async () => {
  const own = {
    react: ({ call }: inReact.CallActionsProps) => createElement('b', null, `own ${call.call_id}`),
  }
  const MyWrite = (call: inVue.ToolCallCardProps['call']) => h('b', `own ${call.call_id}`)
  const byProvider = await bothPages({
    react: shown(
      { tools: { Write: own.react } } as object,
      () => createElement(inReact.Thread),
      () => h('i'),
    ).react,
    vue: shown(
      { tools: { Write: ({ call }: inVue.ToolCallCardProps) => MyWrite(call) } } as object,
      () => null,
      () => h(inVue.Thread),
    ).vue,
  })
  const byThread = await bothPages(
    shown(
      {},
      () => createElement(inReact.Thread, { tools: { Write: own.react } }),
      () => h(inVue.TwThread, null, { 'tool:Write': ({ call }: inVue.ToolCallCardProps) => MyWrite(call) }),
    ),
  )
  for (const pages of [byProvider, byThread]) {
    samePage(pages)
    for (const page of pages) {
      expect(page.texts('b')).toEqual(['own c2'])
      expect(page.texts('[data-tw-part="tool-name"]')).toEqual(['Bash', 'Bash', 'Bash'])
    }
  }
})

/** What a call shows when it is open, by the kind of its picture. */
import { shortLine, TODO_ICONS } from '@toolwire/core/parts'
import type { ToolBody as Body, CallView, SearchItem, TodoItem } from '@toolwire/core/view'
import { isFinal } from '@toolwire/core/view'
import { defineComponent, h, type VNode } from 'vue'
import { AgentThread } from './agent-thread.ts'
import { DiffView } from './diff-view.ts'
import { icon } from './icon.ts'
import { GatedImage } from './image-view.ts'
import { jsonView } from './json-view.ts'
import { LongText } from './long-text.ts'
import { SafeLink } from './safe-link.ts'
import { type SessionContextValue, useSessionContext } from './session-context.ts'
import { Terminal } from './terminal.ts'

export interface ToolBodyProps {
  readonly call: CallView
  readonly body: Body
}

export const ToolBody = defineComponent(
  (props: ToolBodyProps) => {
    const context = useSessionContext()
    return () => draw(context, props.call, props.body)
  },
  { name: 'ToolBody', props: ['call', 'body'] },
)

function draw(context: SessionContextValue, call: CallView, body: Body): VNode {
  const name = call.name
  switch (body.kind) {
    case 'terminal':
      return h(Terminal, {
        call,
        command: body.command,
        output: body.output,
        exitCode: body.exit_code,
      })
    case 'diff':
      return h(DiffView, { path: body.path, lines: body.lines, added: body.added, removed: body.removed })
    case 'file':
      return h('figure', { 'data-tw-part': 'file', 'data-first-line': body.first_line }, [
        h('figcaption', { 'data-tw-part': 'path' }, shortLine(body.path)),
        code(context, { text: body.text, lang: body.lang, name: body.path }),
      ])
    case 'search':
      return search(context, body.items, body.more)
    case 'notebook':
      return h('figure', { 'data-tw-part': 'file' }, [
        h('figcaption', { 'data-tw-part': 'path' }, shortLine(body.path)),
        body.source === '' ? null : code(context, { text: body.source, lang: 'py', name: body.path }),
        h(LongText, { text: body.text, name: body.path }),
      ])
    case 'todo':
      return todo(body.items)
    case 'image':
      return h('div', { 'data-tw-part': 'images' }, [
        ...body.images.map((image, index) => h(GatedImage, { key: index, src: image.src, alt: name })),
        body.text === '' ? null : h(LongText, { text: body.text, name }),
      ])
    case 'agent':
      return h(AgentThread, { call, prompt: body.prompt, text: body.text })
    case 'json':
      return json(context, body, name)
    case 'text':
      return h(LongText, { text: body.text, live: !isFinal(call.state), older: call.output.older, name })
  }
}

type BodyOf<Kind extends Body['kind']> = Extract<Body, { kind: Kind }>

/** Longer code is neither coloured nor drawn as a whole. */
const COLOURED = 20_000

interface CodeText {
  readonly text: string
  readonly lang: string
  readonly name: string
}

const code = ({ Code }: SessionContextValue, { text, lang, name }: CodeText): VNode =>
  text.length > COLOURED
    ? h(LongText, { text, name })
    : h('pre', { 'data-tw-part': 'output' }, [h(Code.value, { code: text.replace(/\n$/, ''), lang })])

function search({ t }: SessionContextValue, items: readonly SearchItem[], more: number): VNode {
  if (items.length === 0) return h('p', { 'data-tw-part': 'empty' }, t.value('call.no_output'))
  return h('ul', { 'data-tw-part': 'search' }, [
    ...items.map((item, index) =>
      h('li', { key: index }, [
        item.url === undefined
          ? h('span', { 'data-tw-part': 'path' }, shortLine(item.title))
          : h(SafeLink, { href: item.url, label: shortLine(item.title) }),
        item.text === undefined ? null : h('span', { 'data-tw-part': 'match' }, shortLine(item.text.trim())),
      ]),
    ),
    more > 0 ? h('li', { 'data-tw-part': 'more' }, `+${more}`) : null,
  ])
}

/** As many as anybody reads. */
const TODOS = 100

const todo = (items: readonly TodoItem[]): VNode =>
  h('ul', { 'data-tw-part': 'todo' }, [
    ...items
      .slice(0, TODOS)
      .map((item, index) =>
        h('li', { key: index, 'data-state': item.status, 'data-tw-state': item.status }, [
          icon(TODO_ICONS[item.status]),
          h('span', shortLine(item.text)),
        ]),
      ),
    items.length > TODOS ? h('li', { 'data-tw-part': 'more' }, `+${items.length - TODOS}`) : null,
  ])

function json({ t }: SessionContextValue, { input, output, text }: BodyOf<'json'>, name: string): VNode {
  const answered = output !== undefined || text !== ''
  return h('dl', { 'data-tw-part': 'json' }, [
    h('dt', t.value('call.input')),
    h('dd', [jsonView(input)]),
    ...(answered
      ? [
          h('dt', t.value('call.output')),
          h('dd', [output === undefined ? h(LongText, { text, name }) : jsonView(output)]),
        ]
      : []),
  ])
}

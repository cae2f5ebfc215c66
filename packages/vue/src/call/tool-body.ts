/** The content of an open call, by the kind of its display. */
import { isShortened, OUTPUT_ENDS, shortLine, TODO_ICONS, TODOS_SHOWN } from '@toolwire/core/parts'
import type { ToolBody as Body, CallView, SearchItem, TodoItem } from '@toolwire/core/view'
import { isFinal } from '@toolwire/core/view'
import { defineComponent, type VNode } from 'vue'
import type { FullView } from '../approval/use-asked.ts'
import { DiffView } from '../output/diff-view.ts'
import { GatedImage } from '../output/image-view.ts'
import { jsonView } from '../output/json-view.ts'
import { LongText } from '../output/long-text.ts'
import { SafeLink } from '../output/safe-link.ts'
import { Terminal } from '../output/terminal.ts'
import { type SessionContextValue, useSessionContext } from '../session/session-context.ts'
import { h } from '../shared/h.ts'
import { icon } from '../shared/icon.ts'
import { AgentThread } from '../thread/agent-thread.ts'

export interface ToolBodyProps {
  readonly call: CallView
  readonly body: Body
  /** For a call that asks for permission: all of the body is shown in its place when that is wanted. */
  readonly asked?: FullView | undefined
}

export const ToolBody = defineComponent(
  (props: ToolBodyProps) => {
    const context = useSessionContext()
    return () => draw(context, props)
  },
  { name: 'ToolBody', props: ['call', 'body', 'asked'] },
)

function draw(context: SessionContextValue, { call, body, asked }: ToolBodyProps): VNode {
  const name = call.name
  const line = (text: string) => (asked?.full ? text : shortLine(text))
  switch (body.kind) {
    case 'terminal':
      return h(Terminal, {
        call,
        command: body.command,
        output: body.output,
        exitCode: body.exit_code,
        asked,
      })
    case 'diff':
      return h(DiffView, {
        path: body.path,
        lines: body.lines,
        added: body.added,
        removed: body.removed,
        asked,
      })
    case 'file':
      return h('figure', { 'data-tw-part': 'file', 'data-first-line': body.first_line }, [
        h('figcaption', { 'data-tw-part': 'path' }, line(body.path)),
        code(context, { text: body.text, lang: body.lang, name: body.path, asked }),
      ])
    case 'search':
      return search(context, body.items, body.more)
    case 'notebook':
      return h('figure', { 'data-tw-part': 'file' }, [
        h('figcaption', { 'data-tw-part': 'path' }, line(body.path)),
        body.source === '' ? null : code(context, { text: body.source, lang: 'py', name: body.path, asked }),
        asked && body.text === '' ? null : h(LongText, { text: body.text, name: body.path, asked }),
      ])
    case 'todo':
      return todo(body.items, asked?.full === true)
    case 'image':
      return h('div', { 'data-tw-part': 'images' }, [
        ...body.images.map((image, index) => h(GatedImage, { key: index, src: image.src, alt: name })),
        body.text === '' ? null : h(LongText, { text: body.text, name }),
      ])
    case 'agent':
      return h(AgentThread, { call, prompt: body.prompt, text: body.text, full: asked?.full === true })
    case 'json':
      return json(context, body, { name, asked })
    case 'text':
      return h(LongText, {
        text: body.text,
        live: !isFinal(call.state) && !asked,
        older: call.output.older,
        name,
        asked,
      })
  }
}

type BodyOf<Kind extends Body['kind']> = Extract<Body, { kind: Kind }>

/** Longer code is neither coloured nor drawn as a whole. */
const COLOURED = 20_000

interface CodeText {
  readonly text: string
  readonly lang: string
  readonly name: string
  readonly asked: FullView | undefined
}

const code = ({ Code }: SessionContextValue, { text, lang, name, asked }: CodeText): VNode =>
  text.length > COLOURED || (asked && !asked.full && isShortened(text, OUTPUT_ENDS))
    ? h(LongText, { text, name, asked })
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

function todo(items: readonly TodoItem[], full: boolean): VNode {
  const shown = full ? items : items.slice(0, TODOS_SHOWN)
  return h('ul', { 'data-tw-part': 'todo' }, [
    ...shown.map((item, index) =>
      h('li', { key: index, 'data-state': item.status, 'data-tw-state': item.status }, [
        icon(TODO_ICONS[item.status]),
        h('span', full ? item.text : shortLine(item.text)),
      ]),
    ),
    items.length > shown.length
      ? h('li', { 'data-tw-part': 'more' }, `+${items.length - shown.length}`)
      : null,
  ])
}

function json(
  { t }: SessionContextValue,
  { input, output, text }: BodyOf<'json'>,
  { name, asked }: Pick<CodeText, 'name' | 'asked'>,
): VNode {
  const answered = output !== undefined || text !== ''
  return h('dl', { 'data-tw-part': 'json' }, [
    h('dt', t.value('call.input')),
    h('dd', [jsonView(input, asked)]),
    ...(answered
      ? [
          h('dt', t.value('call.output')),
          h('dd', [output === undefined ? h(LongText, { text, name }) : jsonView(output)]),
        ]
      : []),
  ])
}

/** The content of an open call, by the kind of its display. */
import { isShortened, OUTPUT_ENDS, shortLine, TODO_ICONS, TODOS_SHOWN } from '@toolwire/core/parts'
import type { ToolBody as Body, CallView, SearchItem, TodoItem } from '@toolwire/core/view'
import { isFinal } from '@toolwire/core/view'
import type { FullView } from '../approval/use-asked.ts'
import { DiffView } from '../output/diff-view.tsx'
import { ImageView } from '../output/image-view.tsx'
import { JsonView } from '../output/json-view.tsx'
import { LongText } from '../output/long-text.tsx'
import { SafeLink } from '../output/safe-link.tsx'
import { Terminal } from '../output/terminal.tsx'
import { useSessionContext } from '../session/session-context.ts'
import { Icon } from '../shared/icon.tsx'
import { AgentThread } from '../thread/agent-thread.tsx'

export interface ToolBodyProps {
  readonly call: CallView
  readonly body: Body
  /** For a call that asks for permission: all of the body is shown in its place when that is wanted. */
  readonly asked?: FullView | undefined
}

export function ToolBody({ call, body, asked }: ToolBodyProps) {
  const live = !isFinal(call.state) && !asked
  const name = call.name
  const line = (text: string) => (asked?.full ? text : shortLine(text))
  switch (body.kind) {
    case 'terminal':
      return (
        <Terminal
          call={call}
          command={body.command}
          output={body.output}
          exitCode={body.exit_code}
          asked={asked}
        />
      )
    case 'diff':
      return (
        <DiffView
          path={body.path}
          lines={body.lines}
          added={body.added}
          removed={body.removed}
          asked={asked}
        />
      )
    case 'file':
      return (
        <figure data-tw-part="file" data-first-line={body.first_line}>
          <figcaption data-tw-part="path">{line(body.path)}</figcaption>
          <CodeText text={body.text} lang={body.lang} name={body.path} asked={asked} />
        </figure>
      )
    case 'search':
      return <SearchView items={body.items} more={body.more} />
    case 'notebook':
      return (
        <figure data-tw-part="file">
          <figcaption data-tw-part="path">{line(body.path)}</figcaption>
          {body.source !== '' && <CodeText text={body.source} lang="py" name={body.path} asked={asked} />}
          {!(asked && body.text === '') && <LongText text={body.text} name={body.path} asked={asked} />}
        </figure>
      )
    case 'todo':
      return <TodoView items={body.items} full={asked?.full === true} />
    case 'image':
      return <ImageView images={body.images} text={body.text} name={name} />
    case 'agent':
      return <AgentThread call={call} prompt={body.prompt} text={body.text} full={asked?.full === true} />
    case 'json':
      return <JsonBody input={body.input} output={body.output} text={body.text} name={name} asked={asked} />
    case 'text':
      return <LongText text={body.text} live={live} older={call.output.older} name={name} asked={asked} />
  }
}

/** Longer code is neither coloured nor drawn as a whole. */
const COLOURED = 20_000

interface CodeTextProps {
  readonly text: string
  readonly lang: string
  readonly name: string
  readonly asked: FullView | undefined
}

function CodeText({ text, lang, name, asked }: CodeTextProps) {
  const { Code } = useSessionContext()
  const shortened = asked !== undefined && !asked.full && isShortened(text, OUTPUT_ENDS)
  if (shortened || text.length > COLOURED) return <LongText text={text} name={name} asked={asked} />
  return (
    <pre data-tw-part="output">
      <Code code={text.replace(/\n$/, '')} lang={lang} />
    </pre>
  )
}

function SearchView({ items, more }: { readonly items: readonly SearchItem[]; readonly more: number }) {
  const { t } = useSessionContext()
  if (items.length === 0) return <p data-tw-part="empty">{t('call.no_output')}</p>
  return (
    <ul data-tw-part="search">
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a finished list; equal rows may occur twice
        <li key={index}>
          {item.url === undefined ? (
            <span data-tw-part="path">{shortLine(item.title)}</span>
          ) : (
            <SafeLink href={item.url}>{shortLine(item.title)}</SafeLink>
          )}
          {item.text !== undefined && <span data-tw-part="match">{shortLine(item.text.trim())}</span>}
        </li>
      ))}
      {more > 0 && <li data-tw-part="more">+{more}</li>}
    </ul>
  )
}

function TodoView({ items, full }: { readonly items: readonly TodoItem[]; readonly full: boolean }) {
  const shown = full ? items : items.slice(0, TODOS_SHOWN)
  return (
    <ul data-tw-part="todo">
      {shown.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
        <li key={index} data-state={item.status} data-tw-state={item.status}>
          <Icon name={TODO_ICONS[item.status]} />
          <span>{full ? item.text : shortLine(item.text)}</span>
        </li>
      ))}
      {items.length > shown.length && <li data-tw-part="more">+{items.length - shown.length}</li>}
    </ul>
  )
}

interface JsonBodyProps {
  readonly input: unknown
  readonly output: unknown
  readonly text: string
  readonly name: string
  readonly asked: FullView | undefined
}

function JsonBody({ input, output, text, name, asked }: JsonBodyProps) {
  const { t } = useSessionContext()
  return (
    <dl data-tw-part="json">
      <dt>{t('call.input')}</dt>
      <dd>
        <JsonView value={input} asked={asked} />
      </dd>
      {(output !== undefined || text !== '') && (
        <>
          <dt>{t('call.output')}</dt>
          <dd>{output === undefined ? <LongText text={text} name={name} /> : <JsonView value={output} />}</dd>
        </>
      )}
    </dl>
  )
}

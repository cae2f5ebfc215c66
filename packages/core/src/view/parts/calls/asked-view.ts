/**
 * The view of a call before the user decides. Every argument is shown; a shortened card says so and must be opened
 * before it can be allowed.
 */
import type { ToolBody } from '../../tools/tool-body.ts'
import type { CallView } from '../../view.ts'
import { flatRows } from '../rows/flat-rows.ts'
import { DIFF_HEAD, diffRows } from '../text/diff-rows.ts'
import { COMMAND_ENDS, isShortened, isWide, OUTPUT_ENDS, PROMPT_ENDS } from '../text/display-lines.ts'

export interface AskedView {
  /** The command or change, followed by arguments that it does not show. */
  readonly bodies: readonly ToolBody[]
  /** Something is shown only in part. */
  readonly isCut: boolean
}

/** The call asks for permission; its decision is still to come. */
export const isAsked = ({ state, approval }: CallView): boolean =>
  state === 'awaiting_approval' && approval?.kind === 'approval'

/** Key of the choice to see all of a call, beside those of its card. */
export const fullKey = ({ id }: CallView): string => `full:${id}`

/** `body` is what the call's renderer made of it. Pure. */
export function askedView(call: CallView, body: ToolBody): AskedView {
  const rest = unshown(call.input, body)
  const bodies = [...(isEmpty(body) ? [] : [body]), ...(rest === undefined ? [] : [argumentsBody(rest)])].map(
    inFull,
  )
  return { bodies, isCut: bodies.some(isCut) }
}

/** Before it has run, a call has no result to show. */
const isEmpty = (body: ToolBody): boolean =>
  (body.kind === 'text' && body.text === '') || (body.kind === 'search' && body.items.length === 0)

const argumentsBody = (input: unknown): ToolBody => ({ kind: 'json', input, output: undefined, text: '' })

/** Large arguments are written out here: what is left out of them must be counted. */
const inFull = (body: ToolBody): ToolBody =>
  body.kind === 'json' && typeof body.input !== 'string' && !flatRows(body.input)
    ? { ...body, input: JSON.stringify(body.input, null, 2) ?? '' }
    : body

/** Fields of a body that are drawn as they are. */
const DRAWN: ReadonlySet<string> = new Set(['path', 'command', 'text', 'source', 'prompt'])

/** The arguments that the lines of a change are made of. */
function inDiff(input: object): readonly string[] {
  if ('edits' in input) return []
  return 'old_string' in input ? ['old_string', 'new_string'] : ['content']
}

/** The arguments that the body does not show word for word; undefined when it shows all of them. */
function unshown(input: unknown, body: ToolBody): unknown {
  if (input === undefined || body.kind === 'json') return undefined
  if (typeof input !== 'object' || input === null) return input
  const texts = Object.entries(body).flatMap(([name, value]) => (DRAWN.has(name) ? [value] : []))
  const isShown = (name: string, value: unknown): boolean =>
    texts.includes(value) ||
    (body.kind === 'diff' && inDiff(input).includes(name)) ||
    (body.kind === 'todo' && name === 'todos')
  const rest = Object.entries(input).filter(([name, value]) => !isShown(name, value))
  return rest.length > 0 ? Object.fromEntries(rest) : undefined
}

function isCut(body: ToolBody): boolean {
  switch (body.kind) {
    case 'terminal':
      return isShortened(body.command, COMMAND_ENDS)
    case 'diff':
      return (
        isWide(body.path) ||
        diffRows(body.lines, DIFF_HEAD).hidden > 0 ||
        body.lines.some(({ text }) => isWide(text))
      )
    case 'file':
      return isWide(body.path) || isShortened(body.text, OUTPUT_ENDS)
    case 'notebook':
      return isWide(body.path) || [body.source, body.text].some(text => isShortened(text, OUTPUT_ENDS))
    case 'agent':
      return isShortened(body.prompt, PROMPT_ENDS)
    case 'json':
      return typeof body.input === 'string' && isShortened(body.input, OUTPUT_ENDS)
    case 'text':
    case 'image':
      return isShortened(body.text, OUTPUT_ENDS)
    case 'todo':
      return body.items.length > TODOS_SHOWN || body.items.some(({ text }) => isWide(text))
    case 'search':
      return body.more > 0 || body.items.some(({ title, text = '' }) => isWide(title) || isWide(text))
  }
}

/** Entries of a list of tasks that are drawn. */
export const TODOS_SHOWN = 100

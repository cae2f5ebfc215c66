/**
 * Maps a call to its display: custom renderers, then the tool's own display, then the built-in ones; JSON or text
 * otherwise.
 */
import { parseJson } from '../parse-json.ts'
import { relativePath } from '../relative-path.ts'
import { fits, MAYBE_NUMBER, MAYBE_TEXT, type Shape } from '../shape.ts'
import type { CallView } from '../view.ts'
import { argument, asText, field, oneLine, outputText, textArgument } from './call-input.ts'
import { patchLines, toDiff } from './diff-lines.ts'
import { RENDERERS } from './renderers.ts'
import type { ToolBody, ToolDisplay, ToolKind } from './tool-body.ts'
import type { ToolRenderer } from './tool-renderer.ts'

/**
 * Title, kind and body of a call in any state. Own renderers win over the title that the tool
 * itself gave, that one over the built-in. A title that is a path below `cwd` is relative to it. Pure; never throws for odd arguments or results.
 */
export function describeCall(call: CallView, own: readonly ToolRenderer[] = [], cwd = ''): ToolDisplay {
  const mine = own.find(renderer => matches(renderer, call.name))
  const builtin = RENDERERS.find(renderer => matches(renderer, call.name))
  const body =
    mine?.body?.(call) ?? imageBody(call) ?? serverBody(call) ?? builtin?.body?.(call) ?? fallback(call)
  return { title: callTitle(call, own, cwd), kind: body.kind, body }
}

/** The title alone: cheap, also for calls with large bodies. */
export function callTitle(call: CallView, own: readonly ToolRenderer[] = [], cwd = ''): string {
  const mine = own.find(renderer => matches(renderer, call.name))
  const builtin = RENDERERS.find(renderer => matches(renderer, call.name))
  const title = mine?.title?.(call) ?? call.view?.title ?? (builtin?.title?.(call) || guessTitle(call))
  return relativePath(oneLine(title, 200), cwd)
}

function matches({ match }: ToolRenderer, name: string): boolean {
  if (typeof match === 'string') return match === name
  return match instanceof RegExp ? match.test(name) : match.includes(name)
}

/** Arguments that usually identify a call, for unknown tools. */
const TELLING = ['file_path', 'path', 'command', 'query', 'pattern', 'url', 'title', 'name', 'id', 'prompt']
const guessTitle = (call: CallView): string => textArgument(call, ...TELLING)

/** Required fields of a body, and the kinds of the optional ones. */
const BODIES: Readonly<Record<ToolKind, Shape>> = {
  terminal: { command: '', output: '', exit_code: MAYBE_NUMBER },
  diff: {
    path: '',
    lines: [{ type: '', text: '', old_line: MAYBE_NUMBER, new_line: MAYBE_NUMBER }],
    added: MAYBE_NUMBER,
    removed: MAYBE_NUMBER,
  },
  file: { path: '', text: '', lang: MAYBE_TEXT, first_line: MAYBE_NUMBER, note: MAYBE_TEXT },
  search: {
    query: MAYBE_TEXT,
    items: [{ title: '', path: MAYBE_TEXT, line: MAYBE_NUMBER, url: MAYBE_TEXT, text: MAYBE_TEXT }],
    more: MAYBE_NUMBER,
    text: MAYBE_TEXT,
  },
  notebook: { path: '', cell: MAYBE_TEXT, source: '', text: MAYBE_TEXT },
  todo: { items: [{ text: '', status: '' }] },
  image: { images: [{ src: '', media_type: '' }], text: MAYBE_TEXT },
  agent: { prompt: '', text: MAYBE_TEXT },
  json: { text: MAYBE_TEXT },
  text: { text: '' },
}

/** A body that the tool itself gave in our shape. */
function serverBody(call: CallView): ToolBody | undefined {
  const { kind, body } = call.view ?? {}
  if (kind === undefined || !Object.hasOwn(BODIES, kind)) return undefined
  if (kind === 'text' && typeof body === 'string') return { kind: 'text', text: body }
  if (typeof body !== 'object' || body === null) return undefined
  const patch = kind === 'diff' ? field(body, 'patch') : undefined
  const lines = typeof patch === 'string' ? patchLines(patch) : undefined
  if (lines) return toDiff(asText(field(body, 'path')), lines)
  return fits(body, BODIES[kind as ToolKind])
    ? ({ ...EMPTY, ...body, kind } as unknown as ToolBody)
    : undefined
}

/** Fields that a body may leave out. */
const EMPTY = { query: '', text: '', lang: '', more: 0, first_line: 1, added: 0, removed: 0, output: '' }

/** Images of a result are shown first, for any tool. */
function imageBody(call: CallView): ToolBody | undefined {
  const images = (call.result?.content ?? []).flatMap(part => {
    if (part.type !== 'image') return []
    const { source } = part
    if (source.type === 'base64')
      return [{ src: `data:${source.media_type};base64,${source.data}`, media_type: source.media_type }]
    return source.type === 'url' ? [{ src: source.url, media_type: source.media_type ?? 'image/*' }] : []
  })
  return images.length === 0 ? undefined : { kind: 'image', images, text: call.result?.output_text ?? '' }
}

function fallback(call: CallView): ToolBody {
  const text = outputText(call)
  const output = call.result?.structured ?? parsed(call.result?.output_text)
  if (call.input === undefined && output === undefined) return { kind: 'text', text: text || call.input_text }
  return { kind: 'json', input: call.input ?? argument(call) ?? call.input_text, output, text }
}

/** The value of a text that is a JSON object or list; undefined for anything else, or when it is long. */
const parsed = (text = ''): unknown =>
  text.length < 200_000 && /^\s*[[{]/.test(text) ? parseJson(text) : undefined

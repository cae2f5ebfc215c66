/** What an edit would do to a file: the spans it replaces, or why it cannot. Pure. */
import type { ToolProblem } from '@toolwire/core'
import { encode, isStandIn } from './charset.ts'
import { lineAt } from './describe-change.ts'
import { type Found, findSpan, type Span } from './find-span.ts'
import { nearMisses } from './near-misses.ts'
import { readText, type TextFile } from './text-file.ts'

export interface EditRequest {
  readonly old_string: string
  readonly new_string: string
  readonly replace_all: boolean
}

export interface PlannedEdit {
  readonly after: Uint8Array
  readonly step: Found['step']
  /** First and last line of each replaced span in the old text, and how many lines stand there now. */
  readonly lines: readonly (readonly [first: number, last: number, now: number])[]
  readonly replacement: string
  readonly count: number
}

export type EditPlan =
  | { readonly ok: true; readonly edit: PlannedEdit }
  | { readonly ok: false; readonly problem: ToolProblem }

const no = (code: string, message: string): EditPlan => ({ ok: false, problem: { code, message } })

/** Every byte outside the replaced spans is the same before and after, whatever the charset. */
export function planEdit(bytes: Uint8Array, request: EditRequest, preferred?: string): EditPlan {
  const file = readText(bytes, preferred)
  const { old_string, new_string } = request
  const omission = omissionIn(new_string, old_string)
  if (omission !== undefined)
    return no(
      'omission',
      `new_string leaves code out («${omission}»). Write out everything that the file should hold; nothing was changed.`,
    )
  const found = findSpan(file.view, old_string, new_string)
  if (found.spans.length === 0) return no('no_match', notFound(file.view, old_string))
  const many = found.spans.length > 1
  if (
    many &&
    (!request.replace_all || found.step !== 'exact') &&
    !(request.replace_all && found.step === 'line ends')
  )
    return no('many_matches', tooMany(file.view, found))
  const spans =
    new_string === ''
      ? found.spans.map((span, i) => withLineBreak(file.view, span, found.spans[i - 1]?.end))
      : found.spans
  const after = isStandIn(found.replacement, bytes)
    ? undefined
    : splice(bytes, file, spans, found.replacement)
  if (!after)
    return no(
      'not_encodable',
      `The file is in ${file.charset.name}, which has no form for some characters of new_string. Nothing was changed.`,
    )
  return {
    ok: true,
    edit: {
      after,
      step: found.step,
      lines: found.spans.map((span, i) => linesOf(file.view, span, spans[i] ?? span, found.replacement)),
      replacement: found.replacement,
      count: spans.length,
    },
  }
}

function splice(
  bytes: Uint8Array,
  file: TextFile,
  spans: readonly Span[],
  replacement: string,
): Uint8Array | undefined {
  const parts: Uint8Array[] = []
  let at = 0
  for (const { start, end } of spans) {
    const text = file.eolAt(start) === '\r\n' ? replacement.replaceAll('\n', '\r\n') : replacement
    const inserted = encode(text, file.charset)
    if (!inserted) return undefined
    parts.push(bytes.subarray(at, file.toByte(start)), inserted)
    at = file.toByte(end)
  }
  return Buffer.concat([...parts, bytes.subarray(at)])
}

/** Removing all of a line removes its line break too; of a last line that has none, the one before it, unless that goes with the span that ends at `taken`. */
function withLineBreak(view: string, { start, end }: Span, taken?: number): Span {
  if ((start > 0 && view[start - 1] !== '\n') || view[end - 1] === '\n') return { start, end }
  if (view[end] === '\n') return { start, end: end + 1 }
  const isLast = end === view.length && start > 0 && taken !== start - 1
  return isLast ? { start: start - 1, end } : { start, end }
}

/** `span` is what was found, `replaced` what is replaced: a line break more, perhaps. */
function linesOf(
  view: string,
  { start, end }: Span,
  replaced: Span,
  replacement: string,
): readonly [number, number, number] {
  const first = lineAt(view, start)
  const last = lineAt(view, Math.max(start, end - 1))
  const breaks = (text: string): number => text.split('\n').length - 1
  const more = breaks(replacement) - breaks(view.slice(replaced.start, replaced.end))
  return [first, last, last - first + 1 + more]
}

function notFound(view: string, wanted: string): string {
  const text = 'String to replace not found in file.'
  const numbered = wanted.split('\n').every(line => /^\s*\d+[\t→|:]/.test(line) || line === '')
  if (numbered && wanted.trim() !== '')
    return `${text} old_string begins its lines with line numbers as Read shows them; they are not part of the file. Send it without them.`
  return text + nearMisses(view, wanted.replaceAll('\r\n', '\n'))
}

function tooMany(view: string, { spans, step }: Found): string {
  const lines = spans.slice(0, 5).map(span => lineAt(view, span.start))
  const more = spans.length > 5 ? ' …' : ''
  const how = step === 'exact' ? '' : ` (ignoring ${step})`
  return `Found ${spans.length} matches of the string to replace${how}, but replace_all is false. To replace all of them set replace_all; to replace one give more of the text around it. They begin at lines ${lines.join(', ')}${more}.`
}

const OMISSION =
  /^[^\S\n]*(?:\/\/|#|--|;|%|\/\*|<!--|\{\/\*)?[^\S\n]*(?:\.\.\.|…)?[^\S\n]*\(?(?:the )?(?:rest of|existing|previous|remaining|other)\b[^\n]{0,60}\b(?:code|methods?|functions?|content|file|implementation|lines?|unchanged|same|here|omitted)\b[^\n]*$/im

/** A line that stands for code it does not hold, unless the old text had it too. */
function omissionIn(text: string, old: string): string | undefined {
  const found = OMISSION.exec(text)?.[0].trim()
  if (found === undefined || old.includes(found)) return undefined
  return /\.\.\.|…|unchanged|omitted|remains? the same|stays? the same/i.test(found) ? found : undefined
}

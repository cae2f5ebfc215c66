/** Plans an edit: the spans it replaces, or the reason that it cannot. Pure. */
import type { ToolProblem } from '@toolwire/core'
import { WHOLE_FILE } from '../safe-files/open-file.ts'
import { encode, isStandIn } from './charset.ts'
import { MAX_SPANS } from './file-limits.ts'
import { findSpan, type SpanMatch, type TextSpan } from './find-span.ts'
import { createLineFinder } from './line-finder.ts'
import { nearMisses } from './near-misses.ts'
import { readText, type TextFile } from './text-file.ts'

export interface EditRequest {
  readonly old_string: string
  readonly new_string: string
  readonly replace_all: boolean
}

export interface PlannedEdit {
  readonly after: Uint8Array
  readonly step: SpanMatch['step']
  /** First and last line of each replaced span in the old text, and its new number of lines. */
  readonly lines: readonly (readonly [first: number, last: number, now: number])[]
  readonly replacement: string
  readonly count: number
}

export type EditPlan =
  | { readonly ok: true; readonly edit: PlannedEdit }
  | { readonly ok: false; readonly problem: ToolProblem }

const problemResult = (code: string, message: string): EditPlan => ({ ok: false, problem: { code, message } })

/** Every byte outside the replaced spans is the same before and after, whatever the charset. */
export function planEdit(bytes: Uint8Array, request: EditRequest, preferred?: string): EditPlan {
  const file = readText(bytes, preferred)
  const { old_string, new_string } = request
  const omission = omissionIn(new_string, old_string)
  if (omission !== undefined)
    return problemResult(
      'omission',
      `new_string leaves code out («${omission}»). Write out everything that the file should hold; nothing was changed.`,
    )
  const found = findSpan(file.view, old_string, new_string)
  if (found.spans.length === 0) return problemResult('no_match', notFound(file.view, old_string))
  if (found.spans.length > MAX_SPANS)
    return problemResult(
      'many_matches',
      `The string to replace occurs more than ${MAX_SPANS} times. Replace that many with a command, such as sed.`,
    )
  const many = found.spans.length > 1
  if (
    many &&
    (!request.replace_all || found.step !== 'exact') &&
    !(request.replace_all && found.step === 'line ends')
  )
    return problemResult('many_matches', tooMany(file.view, found))
  const spans =
    new_string === ''
      ? found.spans.map((span, i) => withLineBreak(file.view, span, found.spans[i - 1]?.end))
      : found.spans
  const size = bytes.length + spans.length * found.replacement.length
  if (size > WHOLE_FILE)
    return problemResult(
      'too_large',
      `The file would have more than ${WHOLE_FILE} bytes. Nothing was changed.`,
    )
  const after = isStandIn(found.replacement, bytes)
    ? undefined
    : splice(bytes, file, spans, found.replacement)
  if (!after)
    return problemResult(
      'not_encodable',
      `The file is in ${file.charset.name}, which has no form for some characters of new_string. Nothing was changed.`,
    )
  return {
    ok: true,
    edit: {
      after,
      step: found.step,
      lines: replacedLines(file.view, { found: found.spans, replaced: spans }, found.replacement),
      replacement: found.replacement,
      count: spans.length,
    },
  }
}

function splice(
  bytes: Uint8Array,
  file: TextFile,
  spans: readonly TextSpan[],
  replacement: string,
): Uint8Array | undefined {
  const parts: Uint8Array[] = []
  const inserted = new Map<string, Uint8Array | undefined>()
  let at = 0
  for (const { start, end } of spans) {
    const eol = file.eolAt(start)
    if (!inserted.has(eol)) inserted.set(eol, encode(replacement.replaceAll('\n', eol), file.charset))
    const bytesHere = inserted.get(eol)
    if (!bytesHere) return undefined
    parts.push(bytes.subarray(at, file.toByte(start)), bytesHere)
    at = file.toByte(end)
  }
  return Buffer.concat([...parts, bytes.subarray(at)])
}

/** Removing all of a line removes its line break too; of a last line that has none, the one before it, unless that goes with the span that ends at `taken`. */
function withLineBreak(view: string, { start, end }: TextSpan, taken?: number): TextSpan {
  if ((start > 0 && view[start - 1] !== '\n') || view[end - 1] === '\n') return { start, end }
  if (view[end] === '\n') return { start, end: end + 1 }
  const isLast = end === view.length && start > 0 && taken !== start - 1
  return isLast ? { start: start - 1, end } : { start, end }
}

/**
 * First and last line of the match, and its new number of lines; a replacement may include one more line break.
 */
function replacedLines(
  view: string,
  spans: { readonly found: readonly TextSpan[]; readonly replaced: readonly TextSpan[] },
  replacement: string,
): PlannedEdit['lines'] {
  const lineAt = createLineFinder(view)
  const breaks = (text: string): number => text.split('\n').length - 1
  const added = breaks(replacement)
  return spans.found.map((span, i) => {
    const { start, end } = spans.replaced[i] ?? span
    const first = lineAt(span.start)
    const last = lineAt(Math.max(span.start, span.end - 1))
    return [first, last, last - first + 1 + added - breaks(view.slice(start, end))]
  })
}

function notFound(view: string, wanted: string): string {
  const text = 'String to replace not found in file.'
  const numbered = wanted.split('\n').every(line => /^\s*\d+[\t→|:]/.test(line) || line === '')
  if (numbered && wanted.trim() !== '')
    return `${text} old_string begins its lines with line numbers as Read shows them; they are not part of the file. Send it without them.`
  return text + nearMisses(view, wanted.replaceAll('\r\n', '\n'))
}

function tooMany(view: string, { spans, step }: SpanMatch): string {
  const lineAt = createLineFinder(view)
  const lines = spans.slice(0, 5).map(span => lineAt(span.start))
  const more = spans.length > 5 ? ' …' : ''
  const how = step === 'exact' ? '' : ` (ignoring ${step})`
  return `Found ${spans.length} matches of the string to replace${how}, but replace_all is false. To replace all of them set replace_all; to replace one give more of the text around it. They begin at lines ${lines.join(', ')}${more}.`
}

const OMISSION =
  /^(?:\/\/|#|--|;|%|\/\*|<!--|\{\/\*)?\s*(?:\.\.\.|…)?\s*\(?(?:the )?(?:rest of|existing|previous|remaining|other)\b.{0,60}\b(?:code|methods?|functions?|content|file|implementation|lines?|unchanged|same|here|omitted)\b/i
/** More of a line is not looked at for it. */
const MAX_OMISSION = 200

/** A placeholder line for omitted code, unless the old text had it too. */
function omissionIn(text: string, old: string): string | undefined {
  const found = text
    .split('\n')
    .map(line => line.trim())
    .find(line => OMISSION.test(line.slice(0, MAX_OMISSION)))
  if (found === undefined || old.includes(found.slice(0, MAX_OMISSION))) return undefined
  return /\.\.\.|…|unchanged|omitted|remains? the same|stays? the same/i.test(found)
    ? found.slice(0, MAX_OMISSION)
    : undefined
}

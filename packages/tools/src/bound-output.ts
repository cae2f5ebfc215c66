/**
 * The one bound on what a call may put into the conversation. Longer text is stored whole in
 * the session's artifacts and cut; what is missing and where it is is said at the edge.
 */
import { join } from 'node:path'
import type { DiskShare, ToolContext, ToolOutcome } from '@toolwire/core'
import { safeHead, safeTail } from '@toolwire/core'
import { putCounted } from './disk-quota.ts'
import { fileName } from './file-name.ts'
import { stripAnsi } from './strip-ansi.ts'

export interface OutputLimits {
  readonly chars: number
  readonly lines: number
}

export const OUTPUT_LIMITS: OutputLimits = { chars: 30_000, lines: 2_000 }

/** Never an empty text. A text that cannot be stored is cut all the same. */
export async function boundOutput(
  outcome: ToolOutcome,
  context: ToolContext,
  limits: OutputLimits,
): Promise<ToolOutcome> {
  const text = outcome.output_text
  if (text === '' && (outcome.content?.length ?? 0) === 0) return { ...outcome, output_text: '(no output)' }
  if (outcome.bounded || fits(text, limits)) return outcome
  const path = await store(text, context)
  return { ...outcome, output_text: cutOutput(text, { ...limits, keep: outcome.keep ?? 'head', path }) }
}

/** The file that may hold the full output of a call; both ids may come from outside. */
export const artifactFile = (artifacts: string, session_id: string, call_id: string): string =>
  join(artifacts, fileName(session_id), `${fileName(call_id)}.log`)

/** Terminal control sequences mean nothing to a model; the raw text is stored with the outputs. */
export async function withoutEscapes(outcome: ToolOutcome, context: ToolContext): Promise<ToolOutcome> {
  if (!outcome.output_text.includes(ESCAPE)) return outcome
  await store(outcome.output_text, context)
  return { ...outcome, output_text: stripAnsi(outcome.output_text) }
}

const ESCAPE = String.fromCharCode(27)

/** The path of a call's full output. */
export const artifactPath = (context: ToolContext): string =>
  join(context.artifacts, `${fileName(context.call_id)}.log`)

export const fits = (text: string, { chars, lines }: OutputLimits): boolean =>
  text.length <= chars && (text.length < lines || countLines(text) <= lines)

export interface Cut extends OutputLimits {
  readonly keep: 'head' | 'tail'
  /** The path of the whole text; undefined if it could not be stored. */
  readonly path: string | undefined
  /** Bytes at the front that the file has, when it does not have all. */
  readonly stored?: number | undefined
  /** Size of the whole when `text` is itself only its two ends. */
  readonly total?: { readonly chars: number; readonly lines: number }
}

/** The head, or for commands a fifth of the head and the rest from the tail, with a notice in front. */
export function cutOutput(text: string, cut: Cut): string {
  const total = cut.total ?? { chars: text.length, lines: countLines(text) }
  const share = cut.keep === 'tail' ? 0.2 : 1
  const head = headLines(safeHead(text, Math.floor(cut.chars * share)), Math.floor(cut.lines * share))
  const rest = text.slice(head.length)
  const tail =
    cut.keep === 'tail'
      ? tailLines(safeTail(rest, Math.floor(cut.chars * 0.8)), Math.floor(cut.lines * 0.8))
      : ''
  const missing = total.chars - head.length - tail.length
  const where = whereIs(cut)
  const notice = `[Output cut: ${missing} of ${total.chars} characters (${total.lines} lines in all) are not shown. ${where}]`
  return tail === ''
    ? `${notice}\n${head}\n${notice}`
    : `${notice}\n${head}\n… [${missing} characters] …\n${tail}`
}

function whereIs({ path, stored }: Cut): string {
  if (path === undefined) return 'The full output could not be stored.'
  return stored === undefined ? `Full output: ${path}` : `Its first ${stored} bytes and its end: ${path}`
}

const store = (text: string, context: ToolContext): Promise<string | undefined> =>
  keepOutput(artifactPath(context), text, context.disk)

/** The path again when the text is there; undefined when it could not be written or is too much. Never throws. */
export async function keepOutput(
  path: string,
  text: string,
  disk: DiskShare | undefined,
): Promise<string | undefined> {
  try {
    await putCounted(path, text, disk)
    return path
  } catch {
    return undefined
  }
}

function countLines(text: string): number {
  let lines = text === '' || text.endsWith('\n') ? 0 : 1
  for (let i = text.indexOf('\n'); i !== -1; i = text.indexOf('\n', i + 1)) lines++
  return lines
}

function headLines(text: string, max: number): string {
  let at = -1
  for (let i = 0; i < max; i++) {
    at = text.indexOf('\n', at + 1)
    if (at === -1) return text
  }
  return text.slice(0, at + 1)
}

function tailLines(text: string, max: number): string {
  let at = text.endsWith('\n') ? text.length - 1 : text.length
  for (let i = 0; i < max; i++) {
    at = text.lastIndexOf('\n', at - 1)
    if (at <= 0) return text
  }
  return text.slice(at + 1)
}

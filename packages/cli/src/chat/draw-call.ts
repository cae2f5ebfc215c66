/** A tool call as lines of a terminal: one line for its state and outcome, and its content before a decision. */
import {
  askedView,
  callName,
  callOutcome,
  failureText,
  markControls,
  markLine,
  stateLabel,
} from '@toolwire/core/parts'
import {
  type CallView,
  describeCall,
  elapsedMs,
  formatDuration,
  isFinal,
  type ToolBody,
  type ToolState,
  type Translate,
} from '@toolwire/core/view'
import type { Style } from './style.ts'
import { fitText, textWidth, wrapText } from './width.ts'

export interface DrawOptions {
  readonly t: Translate
  readonly style: Style
  readonly width: number
  readonly now: number
}

const SIGNS: Readonly<Record<ToolState, string>> = {
  building: '○',
  queued: '○',
  awaiting_approval: '!',
  awaiting_client: '!',
  executing: '●',
  cancelling: '●',
  success: '✓',
  failed: '✗',
  denied: '⊘',
  cancelled: '–',
  expired: '–',
  lost: '–',
}

/** `✓ Edit src/greet.ts  +2 −1 · 12 ms`; the name of an MCP tool is written as server · tool. */
export function callLine(call: CallView, { t, style, width, now }: DrawOptions): string {
  const { title, body } = describeCall(call)
  const name = markLine(callName(call))
  const outcome = outcomeOf(call, body, t)
  const time = call.started_at === undefined ? '' : formatDuration(elapsedMs(call, now), t.locale)
  const right = [outcome, isFinal(call.state) || call.state === 'executing' ? time : stateLabel(call, t)]
    .filter(text => text !== '')
    .join(' · ')
  const room = width - textWidth(name) - textWidth(right) - 6
  // The command itself: its description is the model's word about it.
  const subject = body.kind === 'terminal' ? body.command : title
  const about = room > 8 ? fitText(markLine(subject), room) : ''
  const paint = colorOf(call.state, style)
  return `${paint(SIGNS[call.state])} ${style.bold(name)} ${about}${about === '' ? '' : '  '}${style.dim(right)}`
}

function colorOf(state: ToolState, style: Style): (text: string) => string {
  if (state === 'success') return style.green
  if (state === 'failed') return style.red
  if (state === 'executing' || state === 'cancelling') return style.blue
  return state.startsWith('awaiting') || state === 'denied' ? style.yellow : style.dim
}

function outcomeOf(call: CallView, body: ToolBody, t: Translate): string {
  const outcome = markLine(callOutcome(call, body))
  if (call.state === 'denied') return outcome === '' ? t('state.denied') : `${t('state.denied')}: ${outcome}`
  if (call.state === 'failed') return fitText(markLine(failureText(call).split('\n', 1)[0] ?? ''), 120)
  return body.kind === 'terminal' && body.exit_code ? t('call.exit_code', { n: body.exit_code }) : outcome
}

/** All that would run, in full: a decision is about what was seen. */
export function askedLines(call: CallView, { style, width, t }: DrawOptions): readonly string[] {
  const { body } = describeCall(call)
  return askedView(call, body)
    .bodies.flatMap(one => bodyLines(one, { style, width: width - 2, t }))
    .map(line => `  ${line}`)
}

function bodyLines(body: ToolBody, options: Omit<DrawOptions, 'now'>): readonly string[] {
  const { style, width } = options
  const plain = (text: string): readonly string[] => wrapText(markControls(text), width)
  switch (body.kind) {
    case 'diff':
      return diffLines(body, options)
    case 'terminal':
      return plain(body.command).map(style.bold)
    case 'file':
    case 'text':
      return plain(body.text)
    case 'agent':
      return plain(body.prompt)
    case 'notebook':
      return plain(body.source)
    case 'todo':
      return body.items.flatMap(item => plain(`[${item.status === 'completed' ? 'x' : ' '}] ${item.text}`))
    case 'json':
      return plain(typeof body.input === 'string' ? body.input : (JSON.stringify(body.input, null, 2) ?? ''))
    case 'search':
      return plain(body.query)
    case 'image':
      return plain(body.text)
  }
}

/** Unified, with line numbers and signs, so that it is readable without colors. */
function diffLines(
  { lines }: Extract<ToolBody, { kind: 'diff' }>,
  { style, width }: Omit<DrawOptions, 'now'>,
): readonly string[] {
  const most = Math.max(0, ...lines.map(line => line.new_line ?? line.old_line ?? 0))
  const digits = String(most).length
  return lines.flatMap(({ type, text, old_line, new_line }) => {
    if (type === 'gap') return [style.dim('…')]
    const sign = type === 'add' ? '+' : type === 'remove' ? '-' : ' '
    const number = String(new_line ?? old_line ?? '').padStart(digits)
    const paint = type === 'add' ? style.green : type === 'remove' ? style.red : (one: string) => one
    return wrapText(markControls(text), width - digits - 3).map((part, at) =>
      paint(`${at === 0 ? number : ' '.repeat(digits)} ${sign} ${part}`),
    )
  })
}

/** The end of a running call's output, at most `rows` lines. */
export function liveOutput(
  { output }: CallView,
  rows: number,
  { style, width }: DrawOptions,
): readonly string[] {
  const tail = output.tail.replace(/\r?\n$/, '')
  if (tail === '') return []
  return wrapText(markControls(tail), width - 4)
    .slice(-rows)
    .map(line => style.dim(`  │ ${line}`))
}

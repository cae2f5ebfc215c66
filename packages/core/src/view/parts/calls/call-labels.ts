/** Labels that show the progress of a call: its clock and its share. */
import { formatBytes, formatDuration } from '../../format.ts'
import type { Translate } from '../../strings/translate.ts'
import type { ToolBody } from '../../tools/tool-body.ts'
import type { CallView } from '../../view.ts'
import { shortLine } from '../text/display-lines.ts'

/** Running time, or waiting time once it is one; '' where time says nothing. */
export function elapsedLabel({ state }: CallView, ms: number, t: Translate): string {
  const elapsed = formatDuration(ms, t.locale)
  switch (state) {
    case 'executing':
    case 'cancelling':
    case 'success':
    case 'failed':
      return elapsed
    case 'awaiting_approval':
    case 'awaiting_client':
      return ms < 1000 ? '' : t('call.waiting', { time: elapsed })
    default:
      return ''
  }
}

/** Below this, the size of arguments says nothing. */
const FEW = 200

/** The size of arguments that are being written; '' while they are short. */
export const sizeLabel = ({ input_text }: CallView, t: Translate): string =>
  input_text.length > FEW ? formatBytes(input_text.length, t.locale) : ''

/** Progress of a running call: lines, share and its own message. '' if unknown. */
export function progressLabel({ state, output, progress }: CallView, t: Translate): string {
  if (state !== 'executing' && state !== 'cancelling') return ''
  const told = [
    output.lines > 0 ? t('call.lines', { n: output.lines }) : '',
    share(progress, t),
    shortLine(progress?.message ?? ''),
  ]
  return told
    .filter(words => words !== '')
    .map(words => ` · ${words}`)
    .join('')
}

function share(progress: CallView['progress'], t: Translate): string {
  if (progress?.progress === undefined) return ''
  const { progress: done, total } = progress
  if (total === undefined || total <= 0) return new Intl.NumberFormat(t.locale).format(done)
  return new Intl.NumberFormat(t.locale, { style: 'percent' }).format(Math.min(1, done / total))
}

/** Waits for the user's approval, or for the user to run it. */
export const isWaitingForUser = ({ state, approval }: CallView): boolean =>
  state === 'awaiting_client' || (state === 'awaiting_approval' && approval?.kind !== 'question')

/** The tool's error message; '' without one. */
export const failureText = ({ state, result }: CallView): string =>
  state === 'failed' ? (result?.failure?.message ?? '') : ''

/** The output of a call so far; its input while there is no output. */
export const callText = ({ result, output, input_text }: CallView): string =>
  (result?.output_text ?? output.tail) || input_text

/** The state of a call as a label: a question needs an answer, not an approval. */
export const stateLabel = ({ state, approval }: CallView, t: Translate): string =>
  t(state === 'awaiting_approval' && approval?.kind === 'question' ? 'question.waiting' : `state.${state}`)

/** True if the call asks a question and shows nothing but its form. */
export const isOnlyQuestion = ({ state, approval }: CallView, body: ToolBody): boolean =>
  state === 'awaiting_approval' && approval?.kind === 'question' && body.kind === 'text' && body.text === ''

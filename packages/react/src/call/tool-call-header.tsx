/** The line of a call, part by part: its name, its state, and the button that opens it. */
import {
  callName,
  callOutcome,
  elapsedLabel,
  failureText,
  progressLabel,
  STATE_ICONS,
  shortLine,
  sizeLabel,
  stateLabel,
} from '@toolwire/core/parts'
import type { CallView } from '@toolwire/core/view'
import { useSessionContext } from '../session/session-context.ts'
import { useElapsed } from '../session/use-session.ts'
import { Icon } from '../shared/icon.tsx'
import { contentOf, type PartContent } from '../shared/part-content.ts'
import { useToolCallContext } from './tool-call-context.ts'

export interface ToolCallPartProps {
  /** In place of the part's own content; a function gets the call. */
  readonly children?: PartContent<CallView>
}

/** Opens and closes the body. */
export function Header({ children }: ToolCallPartProps) {
  const { call, open, body } = useToolCallContext()
  const { disclosure } = useSessionContext()
  return (
    <button
      type="button"
      data-tw-part="tool-header"
      data-tw-state={call.state}
      aria-expanded={open}
      aria-controls={open ? body : undefined}
      onClick={() => disclosure.set(call.id, !open)}
    >
      {contentOf(children, call, () => (
        <>
          <StatusIcon />
          <Name />
          <Title />
          <Outcome />
          <ErrorLine />
          <Status />
          <Chevron />
        </>
      ))}
    </button>
  )
}

export function StatusIcon({ children }: ToolCallPartProps) {
  const { call } = useToolCallContext()
  return (
    <span data-tw-part="tool-icon" data-tw-state={call.state}>
      {contentOf(children, call, () => (
        <Icon name={STATE_ICONS[call.state]} />
      ))}
    </span>
  )
}

export function Name({ children }: ToolCallPartProps) {
  const { call } = useToolCallContext()
  return (
    <span data-tw-part="tool-name" data-tw-state={call.state}>
      {contentOf(children, call, () => callName(call))}
    </span>
  )
}

/** The call's action in a few words of its tool's renderer. */
export function Title({ children }: ToolCallPartProps) {
  const { call, picture } = useToolCallContext()
  return (
    <span data-tw-part="tool-title" data-tw-state={call.state}>
      {contentOf(children, call, () => picture.title)}
    </span>
  )
}

/** Lines changed, the reason of a denial or the given answer, in a closed card. */
export function Outcome({ children }: ToolCallPartProps) {
  const { call, open, picture } = useToolCallContext()
  const text = callOutcome(call, picture.body)
  if (open || text === '') return null
  return (
    <span data-tw-part="tool-outcome" data-tw-state={call.state}>
      {contentOf(children, call, () => text)}
    </span>
  )
}

/** The error's first line in a closed card. */
export function ErrorLine({ children }: ToolCallPartProps) {
  const { call, open } = useToolCallContext()
  const text = failureText(call)
  if (open || text === '') return null
  return (
    <span data-tw-part="tool-error-line" data-tw-state={call.state}>
      {contentOf(children, call, () => shortLine(text.split('\n', 1)[0] ?? ''))}
    </span>
  )
}

/** The state as text, with a clock or size that shows activity. */
export function Status({ children }: ToolCallPartProps) {
  const { call } = useToolCallContext()
  const { t } = useSessionContext()
  return (
    <span data-tw-part="tool-status" data-tw-state={call.state}>
      {contentOf(children, call, () => (
        <>
          <span data-tw-part="state-words">{stateLabel(call, t)}</span>
          <Elapsed />
          <Progress />
        </>
      ))}
    </span>
  )
}

/** The clock. Draws nothing in states in which time says nothing. */
export function Elapsed({ children }: ToolCallPartProps) {
  const { call } = useToolCallContext()
  const { t } = useSessionContext()
  const words = elapsedLabel(call, useElapsed(call), t)
  if (words === '') return null
  return (
    <span data-tw-part="elapsed" data-tw-state={call.state}>
      {contentOf(children, call, () => words)}
    </span>
  )
}

/** Progress: the size of its arguments, its lines, its share. Draws nothing if unknown. */
export function Progress({ children }: ToolCallPartProps) {
  const { call } = useToolCallContext()
  const { t } = useSessionContext()
  const words = progressLabel(call, t)
  const building = call.state === 'building'
  if (words === '' && !building) return null
  return (
    <span data-tw-part="progress" data-tw-state={call.state}>
      {contentOf(children, call, () =>
        building ? <span data-tw-part="bytes">{sizeLabel(call, t)}</span> : words,
      )}
    </span>
  )
}

export function Chevron({ children }: ToolCallPartProps) {
  const { call } = useToolCallContext()
  return (
    <span data-tw-part="tool-chevron" data-tw-state={call.state}>
      {contentOf(children, call, () => (
        <Icon name="chevron" />
      ))}
    </span>
  )
}

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
import { defineComponent } from 'vue'
import { h } from '../shared/h.ts'
import { icon } from '../shared/icon.ts'
import { definePart, useDrawnCall, useOwnElapsed } from './tool-call-part.ts'

/** Opens and closes the body. */
export const Header = definePart('ToolCallHeader', {
  tag: 'button',
  attributes: ({ call, open, body, session }) => ({
    type: 'button',
    'data-tw-part': 'tool-header',
    'aria-expanded': open,
    'aria-controls': open ? body : undefined,
    onClick: () => session.disclosure.value.set(call.id, !open),
  }),
  content: () => [h(StatusIcon), h(Name), h(Title), h(Outcome), h(ErrorLine), h(Status), h(Chevron)],
})

export const StatusIcon = definePart('ToolCallStatusIcon', {
  tag: 'span',
  attributes: () => ({ 'data-tw-part': 'tool-icon' }),
  content: ({ call }) => [icon(STATE_ICONS[call.state])],
})

export const Name = definePart('ToolCallName', {
  tag: 'span',
  attributes: () => ({ 'data-tw-part': 'tool-name' }),
  content: ({ call }) => callName(call),
})

/** The call's action in a few words of its tool's renderer. */
export const Title = definePart('ToolCallTitle', {
  tag: 'span',
  attributes: () => ({ 'data-tw-part': 'tool-title' }),
  content: ({ picture }) => picture.title,
})

/** Lines changed, the reason of a denial or the given answer, in a closed card. */
export const Outcome = definePart('ToolCallOutcome', {
  tag: 'span',
  attributes: ({ call, open, picture }) =>
    open || callOutcome(call, picture.body) === '' ? undefined : { 'data-tw-part': 'tool-outcome' },
  content: ({ call, picture }) => callOutcome(call, picture.body),
})

/** The error's first line in a closed card. */
export const ErrorLine = definePart('ToolCallErrorLine', {
  tag: 'span',
  attributes: ({ call, open }) =>
    open || failureText(call) === '' ? undefined : { 'data-tw-part': 'tool-error-line' },
  content: ({ call }) => shortLine(failureText(call).split('\n', 1)[0] ?? ''),
})

/** The state as text, with a clock or size that shows activity. */
export const Status = definePart('ToolCallStatus', {
  tag: 'span',
  attributes: () => ({ 'data-tw-part': 'tool-status' }),
  content: ({ call, t }) => [
    h('span', { 'data-tw-part': 'state-words' }, stateLabel(call, t)),
    h(Elapsed),
    h(Progress),
  ],
})

/** The clock. Draws nothing in states in which time says nothing. */
export const Elapsed = defineComponent(
  (_props: Record<never, never>, { slots }) => {
    const drawn = useDrawnCall()
    const ms = useOwnElapsed()
    return () => {
      const { call, t } = drawn()
      const words = elapsedLabel(call, ms.value, t)
      if (words === '') return null
      const shown = slots['default']?.({ call }) ?? words
      return h('span', { 'data-tw-part': 'elapsed', 'data-tw-state': call.state }, shown)
    }
  },
  { name: 'ToolCallElapsed' },
)

/** Progress: the size of its arguments, its lines, its share. Draws nothing if unknown. */
export const Progress = definePart('ToolCallProgress', {
  tag: 'span',
  attributes: ({ call, t }) =>
    call.state === 'building' || progressLabel(call, t) !== '' ? { 'data-tw-part': 'progress' } : undefined,
  content: ({ call, t }) =>
    call.state === 'building'
      ? [h('span', { 'data-tw-part': 'bytes' }, sizeLabel(call, t))]
      : progressLabel(call, t),
})

export const Chevron = definePart('ToolCallChevron', {
  tag: 'span',
  attributes: () => ({ 'data-tw-part': 'tool-chevron' }),
  content: () => [icon('chevron')],
})

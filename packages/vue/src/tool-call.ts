/** One tool call as a card: a line that says what it is and how it stands, and its content below. */
import { STATE_ICONS, shortLine, shortText } from '@toolwire/core/parts'
import {
  type CallView,
  describeCall,
  formatBytes,
  formatDuration,
  isFinal,
  type ToolPicture,
} from '@toolwire/core/view'
import { computed, defineComponent, h, onScopeDispose, shallowRef, useId, type VNode, watch } from 'vue'
import { Approval } from './approval.ts'
import { ClientCall } from './client-call.ts'
import { CopyButton } from './copy-button.ts'
import { icon } from './icon.ts'
import { LongText } from './long-text.ts'
import { type SessionContextValue, useSessionContext } from './session-context.ts'
import { ToolBody } from './tool-body.ts'
import { useCall, useElapsed } from './use-session.ts'

/** Follows one call; other calls' changes do not draw it again. */
export const ToolCall = defineComponent(
  (props: { readonly id: string }) => {
    const call = useCall(() => props.id)
    return () => (call.value ? h(ToolCallCard, { call: call.value }) : null)
  },
  { name: 'ToolCall', props: ['id'] },
)

/** How long a card stays open after its call has succeeded. */
const LINGER_MS = 600

export interface ToolCallCardProps {
  readonly call: CallView
  /** False for a second card of the same call on one page: the element's id, to which links lead, is left to the first. */
  readonly anchor?: boolean
}

export const ToolCallCard = defineComponent(
  (props: ToolCallCardProps) => {
    const context = useSessionContext()
    const picture = computed(() => describeCall(props.call, context.renderers.value))
    const open = useOpen(context, () => props.call)
    const elapsed = useElapsed(() => props.call)
    const body = useId()
    return () => {
      const { call } = props
      return h(
        'article',
        {
          'data-tw-part': 'tool-call',
          'data-state': call.state,
          'data-call-id': call.call_id,
          'data-tool': call.name,
          'data-kind': picture.value.kind,
          'data-open': open.value,
          id: props.anchor === false ? undefined : `call-${call.id}`,
        },
        [
          header(context, { call, picture: picture.value, open: open.value, body, ms: elapsed.value }),
          open.value ? content(context, call, picture.value, body) : null,
        ],
      )
    }
  },
  { name: 'ToolCallCard', props: ['call', 'anchor'] },
)

/** A person's choice, else what the state asks for, and a moment longer so that an end can be seen. */
function useOpen({ disclosure }: SessionContextValue, call: () => CallView) {
  const wanted = computed(() => disclosure.value.byState(call().state))
  const lingers = shallowRef(wanted.value)
  let timer: ReturnType<typeof setTimeout> | undefined
  watch(wanted, open => {
    clearTimeout(timer)
    if (open) lingers.value = true
    else
      timer = setTimeout(() => {
        lingers.value = false
      }, LINGER_MS)
  })
  onScopeDispose(() => clearTimeout(timer))
  return computed(() => disclosure.value.chosen(call().id) ?? (wanted.value || lingers.value))
}

function content(context: SessionContextValue, call: CallView, picture: ToolPicture, id: string): VNode {
  return h('div', { 'data-tw-part': 'tool-body', id }, [
    errorText(context, call),
    h(ToolBody, { call, body: picture.body }),
    decision(context, call),
    call.state === 'awaiting_approval' && call.approval
      ? h(Approval, { key: call.approval.id, call, approval: call.approval })
      : null,
    call.state === 'awaiting_client' ? h(ClientCall, { call }) : null,
    actions(context, call),
  ])
}

interface Header {
  readonly call: CallView
  readonly picture: ToolPicture
  readonly open: boolean
  readonly body: string
  readonly ms: number
}

function header({ t, disclosure }: SessionContextValue, { call, picture, open, body, ms }: Header): VNode {
  const text = failureText(call)
  return h(
    'button',
    {
      type: 'button',
      'data-tw-part': 'tool-header',
      'aria-expanded': open,
      'aria-controls': open ? body : undefined,
      onClick: () => disclosure.value.set(call.id, !open),
    },
    [
      h('span', { 'data-tw-part': 'tool-icon' }, [icon(STATE_ICONS[call.state])]),
      h('span', { 'data-tw-part': 'tool-name' }, call.name),
      h('span', { 'data-tw-part': 'tool-title' }, picture.title),
      open || call.state !== 'failed' || text === ''
        ? null
        : h('span', { 'data-tw-part': 'tool-error-line' }, shortLine(text.split('\n', 1)[0] ?? '')),
      h('span', { 'data-tw-part': 'tool-status' }, [
        h('span', { 'data-tw-part': 'state-words' }, t.value(`state.${call.state}`)),
        detail(t.value, call, ms),
      ]),
      h('span', { 'data-tw-part': 'tool-chevron' }, [icon('chevron')]),
    ],
  )
}

/** The clock or the size that tells whether it moves. */
function detail(t: SessionContextValue['t']['value'], call: CallView, ms: number): VNode | null {
  const elapsed = formatDuration(ms, t.locale)
  const clock = (text: string) => h('span', { 'data-tw-part': 'elapsed' }, text)
  switch (call.state) {
    case 'building': {
      const size = call.input_text.length
      return h('span', { 'data-tw-part': 'bytes' }, size > 200 ? formatBytes(size, t.locale) : undefined)
    }
    case 'executing':
    case 'cancelling': {
      const { lines } = call.output
      return clock(lines > 0 ? `${elapsed} · ${t('call.lines', { n: lines })}` : elapsed)
    }
    case 'awaiting_approval':
    case 'awaiting_client':
      // A wait is told once it is one.
      return ms < 1000 ? null : clock(t('call.waiting', { time: elapsed }))
    case 'success':
    case 'failed':
      return clock(elapsed)
    default:
      return null
  }
}

const failureText = (call: CallView): string => call.result?.failure?.message ?? ''

function errorText({ t }: SessionContextValue, call: CallView): VNode | null {
  const text = failureText(call)
  if (call.state !== 'failed' || text === '') return null
  const layer = call.result?.layer
  return h('p', { 'data-tw-part': 'tool-error', 'data-layer': layer }, [
    layer ? h('strong', t.value(`layer.${layer}`)) : null,
    h('span', shortText(text)),
  ])
}

/** What was said with a decision. */
function decision({ t }: SessionContextValue, { approval }: CallView): VNode | null {
  if (!approval?.decision || approval.automatic) return null
  const said = approval.reason ?? approval.answer_text
  return h('p', { 'data-tw-part': 'decision', 'data-decision': approval.decision }, [
    h('strong', t.value(`approval.${approval.decision}`)),
    said ? h('q', shortText(said)) : null,
    approval.rule ? h('code', shortLine(approval.rule)) : null,
  ])
}

/** Somebody is to say whether it runs, or to run it. */
const isUpToSomebody = ({ state, approval }: CallView): boolean =>
  state === 'awaiting_client' || (state === 'awaiting_approval' && approval?.kind !== 'question')

function actions({ t, CallActions }: SessionContextValue, call: CallView): VNode | null {
  const output = call.result?.output_text ?? call.output.tail
  const more = CallActions.value && h(CallActions.value, { call })
  const ended = isFinal(call.state)
  // Who decides can read all that would run, also where the card shows a part of it.
  if (!ended && !isUpToSomebody(call))
    return more ? h('footer', { 'data-tw-part': 'tool-actions' }, [more]) : null
  return h('footer', { 'data-tw-part': 'tool-actions' }, [
    more,
    !ended || output === ''
      ? null
      : h(CopyButton, { text: output, label: `${t.value('call.copy')}: ${t.value('call.output')}` }),
    h('details', { 'data-tw-part': 'raw' }, [
      h('summary', t.value('call.raw')),
      h(CopyButton, { text: call.input_text, label: `${t.value('call.copy')}: ${t.value('call.input')}` }),
      h(LongText, { text: call.input_text, name: call.name }),
    ]),
  ])
}

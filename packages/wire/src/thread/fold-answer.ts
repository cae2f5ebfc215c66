/** The answer of a request that does not stream: the fold of the very frames that a stream would carry. */
import type { Warning } from '@toolwire/core'
import { mergeWarnings } from '../gateway/warning.ts'
import type { Frame } from '../wire.ts'

export interface ThreadAnswer {
  /** One text, empty when nothing was said; refusals after it. */
  readonly outputs: readonly Output[]
  readonly msg_id: string | null
  readonly thread_id: number | null
  readonly conversation_id: string | null
  readonly status: AnswerStatus
  /** The reason of the pause or cancellation. */
  readonly reason?: string
  readonly pending_tools?: readonly unknown[]
  readonly pending_approvals?: readonly unknown[]
  readonly pending_questions?: readonly unknown[]
  readonly expires_at?: string
  readonly token_usage?: unknown
  /** Deviations from the request, each once. */
  readonly warnings?: readonly Warning[]
  readonly error?: AnswerError
}

type Output =
  | { readonly type: 'output_text'; readonly text: string }
  | { readonly type: 'refusal'; readonly refusal: string }
type AnswerStatus = 'in_progress' | 'success' | 'partial_success' | 'with_errors' | 'paused' | 'canceled'

interface AnswerError {
  readonly code: string
  readonly message: string
  readonly details?: unknown
  readonly retryable: boolean
  /** The HTTP status of a whole answer. */
  readonly status_code: number
}

interface ThreadFold {
  readonly answer: ThreadAnswer
  /** Text of the latest iteration with text; `fresh` if its next text replaces it. */
  readonly text: string
  readonly fresh: boolean
  readonly refusals: readonly string[]
}

/** Folds frames of one answer, in order. `status` is `in_progress` until its last frame is in. */
export function foldThreadAnswer(frames: Iterable<Frame>): ThreadAnswer {
  let folding: ThreadFold = {
    answer: { outputs: [], msg_id: null, thread_id: null, conversation_id: null, status: 'in_progress' },
    text: '',
    fresh: true,
    refusals: [],
  }
  for (const frame of frames) folding = step(folding, JSON.parse(frame.data) as WireEvent)
  const refusals = folding.refusals.map(refusal => ({ type: 'refusal', refusal }) as const)
  return { ...folding.answer, outputs: [{ type: 'output_text', text: folding.text }, ...refusals] }
}

/** The fields that the fold reads; the projection wrote them. */
interface WireEvent {
  readonly type: string
  readonly agent_id?: string
  readonly aborted?: boolean
  readonly content: string
  readonly refusal: string
  readonly thread_id: number
  readonly conversation_id: string
  readonly assistant_msg_id?: string
  readonly warnings?: readonly Warning[]
  readonly status: AnswerStatus
  readonly reason: string
  readonly pending_tools?: readonly unknown[]
  readonly pending_approvals?: readonly unknown[]
  readonly pending_questions?: readonly unknown[]
  readonly expires_at?: string
  readonly token_usage?: unknown
  readonly error_code: string
  readonly message: string
  readonly details?: unknown
  readonly recoverable: boolean
  readonly status_code: number
}

function step(folding: ThreadFold, ev: WireEvent): ThreadFold {
  if (ev.agent_id !== undefined || ev.aborted) return folding
  const { answer } = folding
  switch (ev.type) {
    case 'conversation.started':
    case 'conversation.resumed': {
      const { thread_id, conversation_id } = ev
      return { ...folding, answer: { ...answer, thread_id, conversation_id } }
    }
    case 'conversation.data':
      return {
        ...folding,
        answer: { ...answer, msg_id: ev.assistant_msg_id ?? answer.msg_id, ...told(answer, ev) },
      }
    case 'iteration.started':
      return { ...folding, fresh: true }
    case 'text.completed':
      return { ...folding, text: folding.fresh ? ev.content : folding.text + ev.content, fresh: false }
    case 'refusal.completed':
      return { ...folding, refusals: [...folding.refusals, ev.refusal] }
    default:
      return { ...folding, answer: ended(answer, ev) }
  }
}

function told({ warnings = [] }: ThreadAnswer, ev: WireEvent): Pick<ThreadAnswer, 'warnings'> {
  const all = mergeWarnings(warnings, ev.warnings ?? [])
  return all.length > 0 ? { warnings: all } : {}
}

function ended(answer: ThreadAnswer, ev: WireEvent): ThreadAnswer {
  const { thread_id, conversation_id, token_usage } = ev
  const about = { thread_id, conversation_id, token_usage }
  switch (ev.type) {
    case 'conversation.paused': {
      const { reason, pending_tools, pending_approvals, pending_questions, expires_at } = ev
      const waits = { reason, pending_tools, pending_approvals, pending_questions, expires_at }
      return { ...answer, ...about, status: 'paused', ...waits }
    }
    case 'conversation.completed':
      return { ...answer, ...about, status: ev.status }
    case 'conversation.canceled':
      return { ...answer, ...about, status: 'canceled', reason: ev.reason }
    case 'conversation.error': {
      const { error_code: code, message, details, recoverable: retryable, status_code } = ev
      return { ...answer, error: { code, message, details, retryable, status_code } }
    }
    default:
      return answer
  }
}

/** Actions of a user on one call, with its ids filled in. Shared by the hooks of every framework. */
import type { CallView } from '../../view.ts'

/** The requests behind it, as the client has them. */
export interface CallCommands {
  readonly approve: (approvalId: string, options?: ApproveCall) => Promise<unknown>
  readonly deny: (approvalId: string, reason?: string) => Promise<unknown>
  readonly answer: (approvalId: string, answer: unknown) => Promise<unknown>
  readonly cancelCall: (session: string, callId: string, reason?: string) => Promise<unknown>
  readonly toolOutputs: (
    session: string,
    outputs: readonly { readonly call_id: string; readonly output: unknown; readonly is_error?: boolean }[],
  ) => Promise<unknown>
}

export interface ApproveCall {
  readonly reason?: string
  /** A rule to keep, so that the like is not asked again. */
  readonly rule?: string
  readonly rule_ttl_s?: number
  /** Arguments to run instead. */
  readonly input?: unknown
}

export interface CallAnswers {
  readonly approve: (options?: ApproveCall) => Promise<unknown>
  /** Runs the call with other arguments. */
  readonly editAndApprove: (input: unknown, options?: Omit<ApproveCall, 'input'>) => Promise<unknown>
  readonly deny: (reason?: string) => Promise<unknown>
  /** Answers a question, a call instead of running it, or a call that runs in the page. */
  readonly respond: (value: unknown) => Promise<unknown>
  /** Stops this call; other calls and the run continue. */
  readonly cancel: (reason?: string) => Promise<unknown>
}

/**
 * Each resolves when the server has recorded it; the view changes when the log says so. Rejects where the call does
 * not wait for such an answer.
 */
export function callAnswers(
  commands: CallCommands,
  session: string,
  call: () => CallView | undefined,
): CallAnswers {
  const about = async <T>(act: (approval: string) => Promise<T>): Promise<T> => {
    const approval = call()?.approval
    if (!approval) throw new Error('This call waits for no approval.')
    return await act(approval.id)
  }
  const known = async <T>(act: (callId: string) => Promise<T>): Promise<T> => {
    const found = call()
    if (!found) throw new Error('The log does not know this call.')
    return await act(found.call_id)
  }
  return {
    approve: options => about(id => commands.approve(id, options)),
    editAndApprove: (input, options) => about(id => commands.approve(id, { ...options, input })),
    deny: reason => about(id => commands.deny(id, reason)),
    respond: value =>
      call()?.state === 'awaiting_client'
        ? known(call_id => commands.toolOutputs(session, [{ call_id, output: value, is_error: false }]))
        : about(id => commands.answer(id, value)),
    cancel: reason => known(id => commands.cancelCall(session, id, reason)),
  }
}

/** The element of one question whether a call may run, and everything that its parts have to know. */
import type { ApprovalView, CallView } from '@toolwire/core/view'
import { type ReactNode, useContext, useMemo, useState } from 'react'
import { ToolCallContext } from '../call/tool-call-context.ts'
import { useSessionContext } from '../session/session-context.ts'
import { useView } from '../session/use-session.ts'
import { ApprovalContext, type ApprovalMode } from './approval-context.ts'
import { useAsked } from './use-asked.ts'
import { useSending } from './use-sending.ts'

export interface ApprovalRootProps {
  /** Id of the call; not needed below a `ToolCall.Root`. */
  readonly id?: string
  /** In place of `id`: a call that you have. */
  readonly call?: CallView
  /** The call's own question by default. */
  readonly approval?: ApprovalView
  readonly children?: ReactNode
}

/** Draws nothing while the call asks nothing. */
export function Root({ id = '', call: given, approval, children }: ApprovalRootProps) {
  const around = useContext(ToolCallContext)?.call
  const call = useView(view => given ?? view.calls.get(id) ?? around)
  const asked = approval ?? (call?.state === 'awaiting_approval' ? call.approval : undefined)
  if (!call || !asked) return null
  return (
    <Asked key={asked.id} call={call} approval={asked}>
      {children}
    </Asked>
  )
}

interface AskedProps {
  readonly call: CallView
  readonly approval: ApprovalView
  readonly children: ReactNode
}

function Asked({ call, approval, children }: AskedProps) {
  const { t } = useSessionContext()
  const { sending, error, run } = useSending()
  const [mode, go] = useState<ApprovalMode>('choose')
  const state = sending ? 'sending' : mode
  const asked = useAsked(call)
  const value = useMemo(
    () => ({ call, approval, mode, go, sending, error, run, state, asked }),
    [call, approval, mode, sending, error, run, state, asked],
  )
  return (
    <ApprovalContext.Provider value={value}>
      <section
        data-tw-part="approval"
        data-tw-state={state}
        aria-label={t('approval.title', { name: call.name })}
      >
        {children}
      </section>
    </ApprovalContext.Provider>
  )
}

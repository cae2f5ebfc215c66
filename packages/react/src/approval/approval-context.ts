/** The question that the parts below an `Approval.Root` are about, and how far its answer is. */
import type { ApprovalView, CallView } from '@toolwire/core/view'
import { createContext, useContext } from 'react'
import type { ApprovalText } from './use-asked.ts'

/** The visible part: the choices, or the form behind one of them. */
export type ApprovalMode = 'choose' | 'rule' | 'deny' | 'edit' | 'answer'

export interface ApprovalContextValue {
  readonly call: CallView
  readonly approval: ApprovalView
  readonly mode: ApprovalMode
  readonly go: (mode: ApprovalMode) => void
  readonly sending: boolean
  /** The error of the last answer; '' without one. */
  readonly error: string
  readonly run: (work: () => Promise<unknown>) => void
  /** `sending`, or the mode. */
  readonly state: string
  /** The visible text of the call. */
  readonly asked: ApprovalText
}

export const ApprovalContext = createContext<ApprovalContextValue | undefined>(undefined)

/** Throws outside of an `Approval.Root`. */
export function useApprovalContext(): ApprovalContextValue {
  const value = useContext(ApprovalContext)
  if (!value) throw new Error('This part needs an <Approval.Root> around it.')
  return value
}

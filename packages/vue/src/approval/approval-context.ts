/** The question that the parts below an `Approval.Root` are about, and how far its answer is. */
import type { ApprovalView, CallView } from '@toolwire/core/view'
import { type ComputedRef, type InjectionKey, inject, type ShallowRef } from 'vue'
import type { ApprovalText } from './use-asked.ts'

/** The visible part: the choices, or the form behind one of them. */
export type ApprovalMode = 'choose' | 'rule' | 'deny' | 'edit' | 'answer'

export interface ApprovalContextValue {
  readonly call: ComputedRef<CallView>
  readonly approval: ComputedRef<ApprovalView>
  readonly mode: Readonly<ShallowRef<ApprovalMode>>
  readonly go: (mode: ApprovalMode) => void
  readonly sending: Readonly<ShallowRef<boolean>>
  /** The error of the last answer; '' without one. */
  readonly error: Readonly<ShallowRef<string>>
  readonly run: (work: () => Promise<unknown>) => void
  /** `sending`, or the mode. */
  readonly state: ComputedRef<string>
  /** The visible text of the call. */
  readonly asked: ComputedRef<ApprovalText>
}

export const APPROVAL: InjectionKey<ApprovalContextValue> = Symbol('toolwire approval')

/** Throws outside of an `Approval.Root`. */
export function useApprovalContext(): ApprovalContextValue {
  const value = inject(APPROVAL, undefined)
  if (!value) throw new Error('This part needs an <Approval.Root> around it.')
  return value
}

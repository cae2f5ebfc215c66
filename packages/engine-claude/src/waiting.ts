/**
 * Tracks who waits for whom, from the child's output and questions. The child waits for us exactly when its
 * message has ended in calls, one of our handlers was entered or a question asked, and it runs no other call of
 * the message itself. Its stream does not end meanwhile.
 */

/** Progress of one call in the child. */
export type CallStage =
  /** The model wrote it. */
  | 'made'
  /** The child asks whether it may run. */
  | 'asked'
  /** Our handler has it. */
  | 'entered'
  /** We have answered, and the child works on it. */
  | 'running'
  /** The child has its result. */
  | 'done'

export interface WaitingCalls {
  readonly calls: ReadonlyMap<string, CallStage>
  /** The message that made them has ended, with `tool_use`. */
  readonly ended: boolean
}

export type WaitingInput =
  | { readonly type: 'message' }
  | { readonly type: 'call'; readonly id: string; readonly stage: CallStage }
  | { readonly type: 'end' }

export const notWaiting: WaitingCalls = { calls: new Map(), ended: false }

const ORDER: readonly CallStage[] = ['made', 'asked', 'entered', 'running', 'done']

/** Pure. A stage never goes back; a new message forgets the calls of the one before. */
export function stepWaiting(state: WaitingCalls, input: WaitingInput): WaitingCalls {
  switch (input.type) {
    case 'message':
      return notWaiting
    case 'end':
      return { ...state, ended: true }
    case 'call': {
      const known = state.calls.get(input.id)
      if (known !== undefined && ORDER.indexOf(known) >= ORDER.indexOf(input.stage)) return state
      return { ...state, calls: new Map([...state.calls, [input.id, input.stage]]) }
    }
  }
}

/** The calls that only we can bring on; empty while the child still has something to do itself. */
export function waitingCalls(state: WaitingCalls): readonly string[] {
  if (!state.ended) return []
  const open = [...state.calls].filter(([, stage]) => stage !== 'done')
  const ours = open.filter(([, stage]) => stage === 'asked' || stage === 'entered')
  // The child comes to later calls only when a question about an earlier one is answered.
  const isBlocked = open.some(([, stage]) => stage === 'asked')
  return isBlocked || ours.length === open.length ? ours.map(([id]) => id) : []
}

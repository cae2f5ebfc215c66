/** @deprecated Import it from `@toolwire/core`. */
export { readPages } from '@toolwire/core'
export type { AnswerRules } from './answer-rules.ts'
export { type Answers, appendAnswers, type RecordedAnswer } from './answers.ts'
export type { AppendItem, AppendReceipt, AttachmentPort, AuditPort, Draft, Waker } from './append.ts'
export {
  appendBranch,
  type BranchedMessage,
  type BranchIds,
  findOpened,
  findReplaced,
  type OpenedBranch,
  type ReplacedPart,
  selectBranchOf,
} from './branches.ts'
export { cancelCall, cancelSession, cancelWithQueue, draftCancel } from './cancel.ts'
export { draftSession, sessionLabels } from './create.ts'
export type { FollowEnd } from './follow.ts'
export type { FollowPlan } from './follow-plan.ts'
export type { LogReader } from './log-reader.ts'
export { type AppendedMessage, appendMessage, draftMessage, toIndex } from './messages.ts'
export { changeQueued, type QueueItem, readQueue, resumeQueue, withdrawQueued } from './queue.ts'
export { isSameInput } from './same-input.ts'
export {
  createSessions,
  type Sessions,
  type SessionsOptions,
  type Stamp,
} from './sessions.ts'
export { type CollectSink, collectSink, PATIENT, recordSink, recordWire } from './sinks/collect-sink.ts'
export { type HoldLast, holdLast } from './sinks/hold-last.ts'
export type { FrameBatch, Sink } from './sinks/sink.ts'
export { sseSink, type TextStream, vendorSseSink } from './sinks/sse-sink.ts'
export { yieldToLoop } from './yield-to-loop.ts'

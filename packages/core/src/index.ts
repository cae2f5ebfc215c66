export { AppError, ERRORS, type ErrorCode } from './errors.ts'
export {
  type BlockKind,
  type ContentPart,
  type EventOf,
  type EventType,
  endsRun,
  type Failure,
  type Finish,
  isPreview,
  type PauseReason,
  type PendingItem,
  type Rec,
  type Seq,
  type SessionEvent,
  type ToolFailure,
  type ToolLayer,
  type ToolSpec,
  type ToolView,
  toEnvelope,
  type Usage,
  type Warning,
} from './event.ts'
export { childTexts, endOfString, isExact, readExact, writeJson } from './exact-json.ts'
export {
  approvalKey,
  type Cursor,
  cursorName,
  decodeCursor,
  encodeCursor,
  type Ids,
  outputKey,
  START,
  threadNo,
  threadPrefix,
} from './ids.ts'
export { isLarge } from './is-large.ts'
export type {
  Append,
  Appended,
  Claimed,
  ListQuery,
  Page,
  ReadHow,
  SessionLog,
  SessionPhase,
  SessionRow,
  Store,
  StoreMaintenance,
  StoreStats,
} from './log.ts'
export {
  closeMessagesBlock,
  deltaMessagesBlock,
  type MessagesBlock,
  startMessagesBlock,
} from './messages-api/block.ts'
export { toMessagesFinish } from './messages-api/finish.ts'
export { mergeMessagesUsage } from './messages-api/usage.ts'
export type { Model, ModelFinder, ModelPart, ModelRequest, TokenCount, ToolChoice } from './model.ts'
export { isDeeperThan } from './nesting.ts'
export { type Agents, isWaiting, next, type Step, toPending } from './next.ts'
export type { Records, StoredRecord } from './records.ts'
export { modelHistory, SHORTENED_TO } from './state/compaction.ts'
export { evolve } from './state/evolve.ts'
export { sumUsage } from './state/evolve-turn.ts'
export { flushCalls } from './state/flush-calls.ts'
export type { AssistantPart, HistoryMessage, ToolResultPart } from './state/history.ts'
export { capLimits, type RunLimits, runLimits } from './state/run-limits.ts'
export {
  type AgentState,
  type CallOutcome,
  type CallState,
  type Compaction,
  initial,
  type OpenTurn,
  type QueuedMessage,
  type RunState,
  type SessionState,
  type SubagentState,
  type UsageRow,
} from './state/state.ts'
export { ToldArguments } from './told-arguments.ts'
export type {
  Access,
  AgentEnd,
  AgentSpec,
  CallQuestion,
  CheckedInput,
  LiveAgent,
  LiveAgents,
  PermissionSubject,
  QuestionAnswer,
  Recovery,
  Tool,
  ToolCall,
  ToolContext,
  ToolLimit,
  ToolNotes,
  ToolOutcome,
  ToolProblem,
  ToolSetting,
  ToolStep,
} from './tool.ts'

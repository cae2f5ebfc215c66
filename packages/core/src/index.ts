export { isAllowedModel } from './allowed-models.ts'
export { ArgumentDeduplicator } from './argument-deduplicator.ts'
export {
  activeBranch,
  type Branch,
  type BranchPoint,
  type BranchTree,
  branchPath,
  hasBranch,
  MAIN_BRANCH,
  openBranch,
  selectBranch,
} from './branches/branch-tree.ts'
export type {
  AgentRequest,
  AgentSettings,
  CallHost,
  CallRequest,
  FollowOptions,
  HostedCall,
  HostedContent,
  HostedEnd,
  HostedOutcome,
  HostedProgress,
  HostedResult,
  HostedTool,
  ItemAnswer,
} from './call-host.ts'
export { cutMiddle, safeHead, safeTail } from './cut-text.ts'
export { isDeepJson } from './deep-json.ts'
export { chooseEffort, EFFORTS, type Effort } from './effort.ts'
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
  type Opaque,
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
  type ApprovalFact,
  advance,
  type CallFact,
  type ConversationStart,
  contentSize,
  createSelector,
  type EndedApproval,
  type EndedCall,
  type Facts,
  type Follow,
  findApproval,
  findApprovalOf,
  findCall,
  findQueued,
  isBusy,
  NO_FACTS,
  pendingOf,
  type Selection,
  type SettledMessage,
  startAt,
  statusOf,
  type WaitingMessage,
} from './facts/index.ts'
export { defuseText, fenceText, quoteInline, systemNotice, unfenceText, withoutTags } from './fence.ts'
export { contentDisposition, nameInDisposition, safeFileName } from './files/file-name.ts'
export {
  type ByteRange,
  FILE_LIMITS,
  type FileDetails,
  type FileLimits,
  type FileStore,
  type FileUpload,
  type StoredFile,
} from './files/file-store.ts'
export { imageSizeOf, isTooManyPixels, MAX_PIXELS } from './files/image-size.ts'
export {
  type FileSource,
  fileContentPath,
  type InlinePart,
  isLargeInline,
  leftOutNote,
  type MediaPart,
  partTypeOf,
  toInline,
} from './files/inline-part.ts'
export { HEAD_BYTES, isCommonImage, isTextType, mediaTypeOf } from './files/media-type.ts'
export { FOLD_VERSION } from './fold-version.ts'
export {
  HOSTED_SEARCH,
  type HostedSearch,
  isSearchCall,
  readHostedSearch,
} from './hosted-search.ts'
export {
  approvalKey,
  type Cursor,
  cursorName,
  decodeCursor,
  encodeCursor,
  heldNote,
  type Ids,
  outputKey,
  START,
  threadNo,
  threadPrefix,
} from './ids.ts'
export { hasSignature, imageType, PICTURES } from './image-type.ts'
export { isLarge, weightOf } from './is-large.ts'
export {
  asCount,
  asNumber,
  asString,
  isObject,
  type JsonObject,
  parseArguments,
  parseBoundedJson,
  parseJson,
} from './json.ts'
export type {
  HookEffect,
  HookQuestion,
  HookReport,
  HookWork,
  LifecycleEvent,
  LifecycleHooks,
} from './lifecycle-hooks.ts'
export type {
  Append,
  AppendResult,
  ClaimedSession,
  ListQuery,
  LogReadOptions,
  Page,
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
export type {
  Model,
  ModelChoice,
  ModelChooser,
  ModelFinder,
  ModelPart,
  ModelRequest,
  TokenCount,
  ToolChoice,
} from './model.ts'
export { isDeeperThan } from './nesting.ts'
export { type Agents, isWaiting, next, type Step, toPending } from './next.ts'
export { NO_USAGE } from './no-usage.ts'
export type {
  ContextChange,
  NamedSkill,
  PromptRequest,
  PromptSource,
  SessionPrompt,
} from './prompt-source.ts'
export { readPages } from './read-pages.ts'
export { reasonOf } from './reason-of.ts'
export { RecentMap } from './recent-map.ts'
export type { Records, StoredRecord } from './records.ts'
export { type LoadedSkill, loadedSkills, skillNote } from './skill-note.ts'
export { sleep } from './sleep.ts'
export { modelHistory, SHORTENED_TO } from './state/compaction.ts'
export { evolve } from './state/evolve.ts'
export { allExchanges, messagesOf } from './state/evolve-branch.ts'
export { isWaitingMessage } from './state/evolve-queue.ts'
export { sumUsage } from './state/evolve-turn.ts'
export { boundaryOf, fenceHistory } from './state/fence-history.ts'
export { flushCalls } from './state/flush-calls.ts'
export type { AssistantPart, HistoryMessage, ToolResultPart } from './state/history.ts'
export { capLimits, type RunLimits, runLimits } from './state/run-limits.ts'
export {
  type AgentState,
  type CallOutcome,
  type CallState,
  type Compaction,
  type Exchange,
  type HiddenExchange,
  initial,
  type OpenTurn,
  type QueuedMessage,
  type RunState,
  type SessionAgentType,
  type SessionContext,
  type SessionSkill,
  type SessionState,
  type SubagentState,
  type UsageRow,
} from './state/state.ts'
export type { CheckpointStore, FactsAt, FoldedState, StateSource } from './state-source.ts'
export { isThought, THINK } from './thought.ts'
export type {
  Access,
  AgentEnd,
  AgentSpec,
  CallQuestion,
  CheckedInput,
  DiskShare,
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
  WithheldFiles,
} from './tool.ts'
export type { ToolHost, ToolScope, Withdrawal } from './tool-host.ts'
export type { Notice, ToolSystem } from './tool-system.ts'
export { TRY_MODEL, TRY_OPTION } from './tried-call.ts'
export { untilAborted } from './until-aborted.ts'
export { isVendorWire } from './vendor-wires.ts'
export { createYield } from './yield-often.ts'

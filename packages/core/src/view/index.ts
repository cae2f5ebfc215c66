/**
 * The browser-side view of a session: fold, selectors, strings and displays. No framework, schema library or Node
 * built-ins.
 */
export { type Announcement, announce } from './announce.ts'
export { type AnsiSpan, ansiSpans, stripAnsi } from './ansi.ts'
export { applyRecord, applyRecords, type ViewRecord } from './apply.ts'
export { showBranch } from './apply-branch.ts'
export { branchOf, type MessageBranch } from './branches.ts'
export { readEnvelope } from './envelope.ts'
export { formatBytes, formatCost, formatDuration, formatNumber, formatTokens } from './format.ts'
export { type MarkdownBlock, MarkdownBlocks, type MarkdownKind } from './markdown-blocks.ts'
export type { ArgsPeek, PeekField } from './peek-args.ts'
export {
  type BlockGroup,
  blocksOf,
  elapsedMs,
  groupBlocks,
  messagesOf,
  textOf,
  titleOf,
  turnElapsedMs,
} from './select.ts'
export { en, LOCALES, type Locale, type MessageKey, type Strings } from './strings/en.ts'
export { createTranslate, type Params, pickLocale, type Translate } from './strings/translate.ts'
export { Table } from './table.ts'
export { thinkingText, thoughtBlock } from './thought.ts'
export { describeCall } from './tools/describe-call.ts'
export { diffLines, patchLines } from './tools/diff-lines.ts'
export type { DiffLine, SearchItem, TodoItem, ToolBody, ToolDisplay, ToolKind } from './tools/tool-body.ts'
export { defineRenderer, type ToolRenderer } from './tools/tool-renderer.ts'
export {
  type AgentView,
  type ApprovalView,
  type BlockView,
  type CallResult,
  type CallView,
  emptyView,
  isFinal,
  type LiveOutput,
  type MessageView,
  type PendingView,
  type SessionInfo,
  type SessionView,
  type Stats,
  type ToolState,
  type TurnView,
} from './view.ts'

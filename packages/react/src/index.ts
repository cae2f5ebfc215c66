'use client'

/** Tool-call UI for React: hooks over a live session, and the parts that draw it. */

export type { InboxItem } from '@toolwire/client'
export {
  type Density,
  type IconName,
  isComposing,
  type Shortcut,
  STATE_ICONS,
  suggestedRule,
} from '@toolwire/core/parts'
export { defineRenderer } from '@toolwire/core/view'
export { Approval, type ApprovalProps } from './approval/approval.tsx'
export { ApprovalBatch } from './approval/approval-batch.tsx'
export type { ApprovalFormProps, ApprovalPartProps } from './approval/approval-parts.tsx'
export type { ApprovalRootProps } from './approval/approval-root.tsx'
export { Question } from './approval/question.tsx'
export { SchemaForm, type SchemaFormProps } from './approval/schema-form.tsx'
export { ClientCall } from './call/client-call.tsx'
export { ToolBody, type ToolBodyProps } from './call/tool-body.tsx'
export { ToolCall, ToolCallCard, type ToolCallCardProps } from './call/tool-call.tsx'
export { type ToolCallContextValue, useToolCallContext } from './call/tool-call-context.ts'
export type { ToolCallPartProps } from './call/tool-call-header.tsx'
export type { ToolCallRootProps } from './call/tool-call-root.tsx'
export { ToolGroup } from './call/tool-group.tsx'
export { Composer, type ComposerProps } from './composer/composer.tsx'
export { MessageBox } from './composer/message-box.tsx'
export type { MessageBoxProps, SendMode } from './composer/message-box-props.ts'
export { QueueTray } from './composer/queue-tray.tsx'
export { AnsiText } from './output/ansi-text.tsx'
export { CodeBlock, type CodeBlockProps } from './output/code-block.tsx'
export { DiffView, type DiffViewProps } from './output/diff-view.tsx'
export { GatedImage } from './output/image-view.tsx'
export { JsonView } from './output/json-view.tsx'
export { LongText, type LongTextProps } from './output/long-text.tsx'
export { OutputPane, type OutputPaneProps } from './output/output-pane.tsx'
export { SafeLink } from './output/safe-link.tsx'
export { Terminal, type TerminalProps } from './output/terminal.tsx'
export { ConnectionChip } from './session/connection-chip.tsx'
export { Inbox, type InboxProps, type PendingFields } from './session/inbox.tsx'
export {
  type CallActionsProps,
  type CodeProps,
  type SessionCommands,
  type SessionContextValue,
  type SessionSource,
  type TextProps,
  useSessionContext,
} from './session/session-context.ts'
export { SessionLink, type SessionLinkProps } from './session/session-link.tsx'
export { SessionList, type SessionListProps } from './session/session-list.tsx'
export { SessionProvider, type SessionProviderProps } from './session/session-provider.tsx'
export { ContextMeter, StatsBar } from './session/stats-bar.tsx'
export { type EventsOptions, useEvents, useFrames } from './session/use-events.ts'
export {
  useAnswers,
  useCall,
  useClientTool,
  useConnection,
  useElapsed,
  usePending,
  useSession,
  useStats,
  useToolCall,
  useView,
} from './session/use-session.ts'
export {
  type InboxOptions,
  type PollOptions,
  type PollState,
  useInbox,
  useSessionList,
} from './session/use-session-list.ts'
export { CopyButton, type CopyButtonProps } from './shared/copy-button.tsx'
export { Disclosure } from './shared/disclosure.ts'
export { Icon } from './shared/icon.tsx'
export type { PartContent } from './shared/part-content.ts'
export { type Copy, useCopy } from './shared/use-copy.ts'
export { useNow } from './shared/use-now.ts'
export { Announcer } from './thread/announcer.tsx'
export { Conversation, type ConversationProps, useTurnIds } from './thread/conversation.tsx'
export { EventInspector } from './thread/event-inspector.tsx'
export { Message } from './thread/message.tsx'
export { ShortcutHelp, type ShortcutHelpProps } from './thread/shortcut-help.tsx'
export { TextBlock, type TextBlockProps, ThinkingBlock } from './thread/text-block.tsx'
export { Thread, type ThreadHandle, type ThreadProps } from './thread/thread.tsx'
export { Timeline, type TimelineProps } from './thread/timeline.tsx'
export { Turn, TurnEnd, type TurnProps } from './thread/turn.tsx'
export { BranchPager, type BranchPagerProps } from './versions/branch-pager.tsx'
export { Regenerate, type RegenerateProps } from './versions/regenerate.tsx'

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
export { Announcer } from './announcer.tsx'
export { AnsiText } from './ansi-text.tsx'
export { Approval, type ApprovalProps } from './approval.tsx'
export { ApprovalBatch } from './approval-batch.tsx'
export type { ApprovalFormProps, ApprovalPartProps } from './approval-parts.tsx'
export type { ApprovalRootProps } from './approval-root.tsx'
export { ClientCall } from './client-call.tsx'
export { CodeBlock, type CodeBlockProps } from './code-block.tsx'
export { Composer, type ComposerProps, MessageBox, type MessageBoxProps } from './composer.tsx'
export { ConnectionChip } from './connection-chip.tsx'
export { Conversation, type ConversationProps, useTurnIds } from './conversation.tsx'
export { CopyButton, type CopyButtonProps } from './copy-button.tsx'
export { DiffView, type DiffViewProps } from './diff-view.tsx'
export { Disclosure } from './disclosure.ts'
export { EventInspector } from './event-inspector.tsx'
export { Icon } from './icon.tsx'
export { GatedImage } from './image-view.tsx'
export { Inbox, type InboxProps } from './inbox.tsx'
export { JsonView } from './json-view.tsx'
export { LongText, type LongTextProps } from './long-text.tsx'
export { Message } from './message.tsx'
export { OutputPane, type OutputPaneProps } from './output-pane.tsx'
export type { PartContent } from './part-content.ts'
export { Question } from './question.tsx'
export { SafeLink } from './safe-link.tsx'
export { SchemaForm, type SchemaFormProps } from './schema-form.tsx'
export {
  type CallActionsProps,
  type CodeProps,
  type SessionCommands,
  type SessionContextValue,
  type SessionSource,
  type TextProps,
  useSessionContext,
} from './session-context.ts'
export { SessionLink, type SessionLinkProps } from './session-link.tsx'
export { SessionList, type SessionListProps } from './session-list.tsx'
export { SessionProvider, type SessionProviderProps } from './session-provider.tsx'
export { ShortcutHelp, type ShortcutHelpProps } from './shortcut-help.tsx'
export { ContextMeter, StatsBar } from './stats-bar.tsx'
export { Terminal, type TerminalProps } from './terminal.tsx'
export { TextBlock, type TextBlockProps, ThinkingBlock } from './text-block.tsx'
export { Thread, type ThreadHandle, type ThreadProps } from './thread.tsx'
export { Timeline, type TimelineProps } from './timeline.tsx'
export { ToolBody, type ToolBodyProps } from './tool-body.tsx'
export { ToolCall, ToolCallCard, type ToolCallCardProps } from './tool-call.tsx'
export { type ToolCallContextValue, useToolCallContext } from './tool-call-context.ts'
export type { ToolCallPartProps } from './tool-call-header.tsx'
export type { ToolCallRootProps } from './tool-call-root.tsx'
export { ToolGroup } from './tool-group.tsx'
export { Turn, TurnEnd, type TurnProps } from './turn.tsx'
export { type Copy, useCopy } from './use-copy.ts'
export { type EventsOptions, useEvents, useFrames } from './use-events.ts'
export { useNow } from './use-now.ts'
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
} from './use-session.ts'
export {
  type InboxOptions,
  type PollOptions,
  type PollState,
  useInbox,
  useSessionList,
} from './use-session-list.ts'

/** Tool-call UI for Vue: composables over a live session, and the parts that draw it. */
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
export { Announcer } from './announcer.ts'
export { AnsiText } from './ansi-text.ts'
export { Approval, type ApprovalProps } from './approval.ts'
export { ApprovalBatch } from './approval-batch.ts'
export type { ApprovalFormProps } from './approval-parts.ts'
export type { ApprovalRootProps } from './approval-root.ts'
export { ClientCall } from './client-call.ts'
export { CodeBlock, type CodeBlockProps } from './code-block.ts'
export { Composer, type ComposerProps, MessageBox, type MessageBoxProps } from './composer.ts'
export { ConnectionChip } from './connection-chip.ts'
export { Conversation, useTurnIds } from './conversation.ts'
export { CopyButton, type CopyButtonProps } from './copy-button.ts'
export { DiffView, type DiffViewProps } from './diff-view.ts'
export { Disclosure } from './disclosure.ts'
export { EventInspector } from './event-inspector.ts'
export { Icon, icon } from './icon.ts'
export { GatedImage } from './image-view.ts'
export { Inbox, type InboxProps } from './inbox.ts'
export { JsonView } from './json-view.ts'
export { LongText, type LongTextProps } from './long-text.ts'
export { Message } from './message.ts'
export { OutputPane, type OutputPaneProps } from './output-pane.ts'
export { Question } from './question.ts'
export { SafeLink } from './safe-link.ts'
export { SchemaForm, type SchemaFormProps } from './schema-form.ts'
export {
  type SessionCommands,
  type SessionContextValue,
  type SessionSource,
  useSessionContext,
} from './session-context.ts'
export { SessionLink, type SessionLinkProps } from './session-link.ts'
export { SessionList, type SessionListProps } from './session-list.ts'
export { SessionProvider, type SessionProviderProps } from './session-provider.ts'
export { ShortcutHelp, type ShortcutHelpProps } from './shortcut-help.ts'
export { ContextMeter, StatsBar } from './stats-bar.ts'
export { Terminal, type TerminalProps } from './terminal.ts'
export { TextBlock, type TextBlockProps, ThinkingBlock } from './text-block.ts'
export { Thread, Thread as TwThread, type ThreadHandle } from './thread.ts'
export { Timeline, type TimelineProps } from './timeline.ts'
export { ToolBody, type ToolBodyProps } from './tool-body.ts'
export { ToolCall, ToolCallCard, type ToolCallCardProps } from './tool-call.ts'
export { type ToolCallContextValue, useToolCallContext } from './tool-call-context.ts'
export type { ToolCallRootProps } from './tool-call-root.ts'
export { ToolGroup } from './tool-group.ts'
export { Turn, TurnEnd } from './turn.ts'
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

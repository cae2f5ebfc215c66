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
export { Approval, type ApprovalProps } from './approval/approval.ts'
export { ApprovalBatch } from './approval/approval-batch.ts'
export type { ApprovalFormProps } from './approval/approval-parts.ts'
export type { ApprovalRootProps } from './approval/approval-root.ts'
export { Question } from './approval/question.ts'
export { SchemaForm, type SchemaFormProps } from './approval/schema-form.ts'
export { ClientCall } from './call/client-call.ts'
export { ToolBody, type ToolBodyProps } from './call/tool-body.ts'
export { ToolCall, ToolCallCard, type ToolCallCardProps } from './call/tool-call.ts'
export { type ToolCallContextValue, useToolCallContext } from './call/tool-call-context.ts'
export type { ToolCallRootProps } from './call/tool-call-root.ts'
export { ToolGroup } from './call/tool-group.ts'
export { Composer, type ComposerProps } from './composer/composer.ts'
export { MessageBox } from './composer/message-box.ts'
export type { MessageBoxProps, SendMode } from './composer/message-box-props.ts'
export { QueueTray } from './composer/queue-tray.ts'
export { AnsiText } from './output/ansi-text.ts'
export { CodeBlock, type CodeBlockProps } from './output/code-block.ts'
export { DiffView, type DiffViewProps } from './output/diff-view.ts'
export { GatedImage } from './output/image-view.ts'
export { JsonView } from './output/json-view.ts'
export { LongText, type LongTextProps } from './output/long-text.ts'
export { OutputPane, type OutputPaneProps } from './output/output-pane.ts'
export { SafeLink } from './output/safe-link.ts'
export { Terminal, type TerminalProps } from './output/terminal.ts'
export { ConnectionChip } from './session/connection-chip.ts'
export { Inbox, type InboxProps, type PendingFields } from './session/inbox.ts'
export {
  type SessionCommands,
  type SessionContextValue,
  type SessionSource,
  useSessionContext,
} from './session/session-context.ts'
export { SessionLink, type SessionLinkProps } from './session/session-link.ts'
export { SessionList, type SessionListProps } from './session/session-list.ts'
export { SessionProvider, type SessionProviderProps } from './session/session-provider.ts'
export { ContextMeter, StatsBar } from './session/stats-bar.ts'
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
export { CopyButton, type CopyButtonProps } from './shared/copy-button.ts'
export { Disclosure } from './shared/disclosure.ts'
export { Icon, icon } from './shared/icon.ts'
export { type Copy, useCopy } from './shared/use-copy.ts'
export { useNow } from './shared/use-now.ts'
export { Announcer } from './thread/announcer.ts'
export { Conversation, useTurnIds } from './thread/conversation.ts'
export { EventInspector } from './thread/event-inspector.ts'
export { Message } from './thread/message.ts'
export { ShortcutHelp, type ShortcutHelpProps } from './thread/shortcut-help.ts'
export { TextBlock, type TextBlockProps, ThinkingBlock } from './thread/text-block.ts'
export { Thread, Thread as TwThread, type ThreadHandle } from './thread/thread.ts'
export { Timeline, type TimelineProps } from './thread/timeline.ts'
export { Turn, TurnEnd } from './thread/turn.ts'
export { BranchPager, type BranchPagerProps } from './versions/branch-pager.ts'
export { Regenerate, type RegenerateProps } from './versions/regenerate.ts'

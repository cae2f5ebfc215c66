export type { ApproveOptions, Decision, InboxItem, ListedItem, ToolOutput } from './answer-api.ts'
export type { Backoff } from './backoff.ts'
export type { BranchEffects, BranchJson, BranchListJson, BranchOptions } from './branch-api.ts'
export { type Client, type ClientOptions, createClient } from './client.ts'
export type { ClientCall, ClientTool } from './client-tools.ts'
export { type FileApi, type FileJson, type FilePageJson, filePart, type UploadOptions } from './file-api.ts'
export type { ConnectionChange } from './follow-frames.ts'
export type { RecordOptions, RecordSource, StreamOptions } from './follow-records.ts'
export type { Connection, LiveSession, SessionSnapshot } from './live-session.ts'
export type { ExplainCall, PermissionRule, Permissions } from './permission-api.ts'
export type { QueuedMessageJson, QueuedMessagePatch } from './queue-api.ts'
export type { Frame } from './read-frames.ts'
export type {
  CancelOptions,
  CreateSession,
  ListSessions,
  SendOptions,
  SendResult,
  SessionApi,
  SessionJson,
  SessionPageJson,
} from './session-api.ts'
export type { NewToken, TicketJson, TokenJson } from './token-api.ts'
export type { TokenCallback } from './token-source.ts'
export { ToolwireError } from './toolwire-error.ts'

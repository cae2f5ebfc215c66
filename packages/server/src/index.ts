export {
  createKey,
  isCurrent,
  type KeyRecord,
  listKeys,
  removeKeys,
  revokeKey,
} from './access/api-key.ts'
export { addAudit, listAudit } from './access/audit.ts'
export { type Authenticate, type SignedIn, toUser } from './access/authenticate.ts'
export { type AuthOptions, AuthSettings } from './access/jwt/jwt-settings.ts'
export type { DocumentRules, ReadDocument } from './access/jwt/key-set.ts'
export { OWNER_RULE, OwnerName } from './access/owner-name.ts'
export {
  APPLICATION,
  DEFAULT_OWNER,
  type Limits,
  LOCAL_OPERATOR,
  type Principal,
  SCOPES,
  type Scope,
} from './access/principal.ts'
export { createSpendMeter, type SpendMeter } from './access/spend-meter.ts'
export { readSpending } from './access/spending.ts'
export { tenantIn } from './access/tenant-in.ts'
export { rotateSigningKey } from './access/token-records.ts'
export type { Clock, Logger, ServerContext } from './context.ts'
export { toErrorBody } from './errors.ts'
export { UNSTORED_LABEL } from './gateway/session-index.ts'
export { isUnstoredRun } from './gateway/stored-response.ts'
export { type HostUrl, pathBelow } from './http/base-path.ts'
export type { SignInRequest } from './http/exchange.ts'
export { createInstruments } from './observe/instruments.ts'
export { observeToLogger } from './observe/log-lines.ts'
export { observeLog } from './observe/log-metrics.ts'
export { observeSpans } from './observe/log-spans.ts'
export { observeStore, type StoreObserver } from './observe/observe-store.ts'
export type { McpEndpoint, McpServerPort } from './ports/mcp-server-port.ts'
export type { MemoryPort } from './ports/memory-port.ts'
export type { ProjectAgentPort } from './ports/project-agent-port.ts'
export type {
  ProviderEntry,
  ProviderPort,
  ProviderStatus,
  ProviderStored,
  ProviderTest,
  PutOptions,
} from './ports/provider-port.ts'
export type { SettingsPort } from './ports/settings-port.ts'
export type { SkillPort } from './ports/skill-port.ts'
export type { ListedTool, PermissionPort, ServerPorts } from './ports.ts'
export { type Address, createServer, type Server, type ServerOptions } from './server.ts'
export { readOwnerPrompt } from './sessions/owner-prompt.ts'
export type { ServerSettings } from './settings.ts'

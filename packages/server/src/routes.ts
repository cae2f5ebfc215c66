/** Every route that a server can have, in the order of the API description. */
import { agUiRoutes } from './ag-ui/routes.ts'
import { aiSdkRoutes } from './ai-sdk/routes.ts'
import { completionRoute } from './gateway/chat-routes.ts'
import { conversationRoutes } from './gateway/conversation-routes.ts'
import { vendorFileRoutes } from './gateway/file-routes.ts'
import { messagesRoutes } from './gateway/messages-routes.ts'
import { vendorModelRoutes } from './gateway/model-routes.ts'
import { responsesRoutes } from './gateway/responses-routes.ts'
import { rootProbeRoute } from './gateway/root-probe.ts'
import { storedResponseRoutes } from './gateway/stored-response-routes.ts'
import type { Route } from './http/route.ts'
import { accessRoutes } from './routes/access.ts'
import { agentRoutes } from './routes/agents.ts'
import { answerRoutes, cancelSessionRoute } from './routes/answers.ts'
import { branchRoutes } from './routes/branches.ts'
import { callRoutes } from './routes/calls.ts'
import { chatRoutes } from './routes/chat.ts'
import { contextRoute, refreshContextRoute } from './routes/context.ts'
import { eventRoutes } from './routes/events.ts'
import { fileRoutes } from './routes/files.ts'
import { forkRoute } from './routes/fork.ts'
import { healthRoutes, toolListRoute } from './routes/health.ts'
import { keyRoutes } from './routes/keys.ts'
import { maintenanceRoutes } from './routes/maintenance.ts'
import { mcpRoutes } from './routes/mcp.ts'
import { mcpServerRoutes } from './routes/mcp-server.ts'
import { memoryRoutes } from './routes/memory.ts'
import { metricsRoute } from './routes/metrics.ts'
import { modelListRoute } from './routes/models.ts'
import { ownerPromptRoutes } from './routes/owner-prompt.ts'
import { permissionRoutes } from './routes/permissions.ts'
import { providerRoutes } from './routes/providers.ts'
import { queueRoutes } from './routes/queue.ts'
import { referenceRoutes } from './routes/reference.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { settingsRoute } from './routes/settings.ts'
import { listSkillsRoute } from './routes/skills.ts'
import { tokenRoutes } from './routes/tokens.ts'
import { toolPageRoutes } from './routes/tool-pages.ts'
import { tryRoute } from './routes/try-tool.ts'
import { changesRoute, undoRoute } from './routes/undo.ts'
import { uploadRoutes } from './routes/uploads.ts'
import { threadRoutes } from './thread/routes.ts'
import { webRoutes } from './web/web-routes.ts'

export const ROUTES: readonly Route[] = [
  ...sessionRoutes,
  forkRoute,
  ...branchRoutes,
  cancelSessionRoute,
  ...eventRoutes,
  contextRoute,
  refreshContextRoute,
  ...ownerPromptRoutes,
  listSkillsRoute,
  ...agentRoutes,
  ...uploadRoutes,
  changesRoute,
  ...fileRoutes,
  undoRoute,
  ...callRoutes,
  ...chatRoutes,
  ...answerRoutes,
  ...queueRoutes,
  toolListRoute,
  tryRoute,
  ...permissionRoutes,
  ...mcpRoutes,
  ...mcpServerRoutes,
  ...toolPageRoutes,
  ...memoryRoutes,
  ...threadRoutes,
  ...aiSdkRoutes,
  ...agUiRoutes,
  completionRoute,
  ...responsesRoutes,
  ...storedResponseRoutes,
  ...conversationRoutes,
  ...messagesRoutes,
  ...vendorModelRoutes,
  ...vendorFileRoutes,
  rootProbeRoute,
  ...healthRoutes,
  metricsRoute,
  modelListRoute,
  settingsRoute,
  ...maintenanceRoutes,
  ...accessRoutes,
  ...keyRoutes,
  ...tokenRoutes,
  ...referenceRoutes,
  ...webRoutes,
  ...providerRoutes,
]

/** Public setup of this server: GET /api/settings. Contains no secrets. */
import type { FastifyInstance } from 'fastify'
import { defaultModel } from '../config.ts'
import type { ServerContext } from '../context.ts'

export function addSettingsRoute(app: FastifyInstance, context: ServerContext): void {
  app.get('/api/settings', async () => {
    const { permissionMode, effort, workspace, version, memory, settings } = context.config
    return {
      version,
      model: defaultModel(context.config),
      permission_mode: permissionMode,
      effort: effort ?? null,
      workspace,
      memory: { enabled: memory !== undefined },
      sandbox: settings ? await settings.sandbox() : null,
    }
  })
}

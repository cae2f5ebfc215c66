/** Public setup of this server: GET /api/settings. Contains no secrets. */

import { defineRoute } from '../http/route.ts'
import { json } from '../openapi/operation.ts'
import { Settings } from '../openapi/shapes/server-shapes.ts'
import { defaultModel } from '../sessions/default-model.ts'

export const settingsRoute = defineRoute({
  method: 'GET',
  path: '/api/settings',
  scope: 'read',
  id: 'getSettings',
  tag: 'Server',
  summary: 'How this server is set up',
  responses: { 200: json(Settings, 'Nothing secret is in it.') },
  handle: async (_, context) => {
    const { permissionMode, effort, workspace, version } = context.settings
    const { memory, settings } = context.ports
    return {
      version,
      model: defaultModel(context),
      permission_mode: permissionMode,
      effort: effort ?? null,
      workspace,
      memory: { enabled: memory !== undefined },
      sandbox: settings ? await settings.sandbox() : null,
    }
  },
})

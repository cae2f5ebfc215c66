/** The model of new sessions, at this moment. */
import type { ServerContext } from '../context.ts'

export const defaultModel = ({ settings, ports }: Pick<ServerContext, 'settings' | 'ports'>): string =>
  ports.currentModel?.() ?? settings.model

import { toNextHandlers } from 'toolwire/next'
import { toolwire } from '../../../agent.ts'

export const runtime = 'nodejs'
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = toNextHandlers(toolwire)

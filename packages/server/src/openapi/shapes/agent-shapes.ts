/** Agents, as the API description shows them. */
import { z } from 'zod'
import { AgentConfig } from '../../agents/agent-config.ts'

export const AgentView = z
  .object({
    id: z.string(),
    name: z.string(),
    version: z.number().int(),
    sha256: z.string(),
    created_at: z.string(),
    /** The time of this version. */
    updated_at: z.string(),
    archived_at: z.string().nullable(),
    ...AgentConfig.shape,
    system: z.string().optional(),
  })
  .meta({ id: 'Agent' })

const next_cursor = z.string().nullable()

export const AgentPage = z.object({ agents: z.array(AgentView), next_cursor }).meta({ id: 'AgentPage' })

export const AgentVersionPage = z
  .object({
    versions: z.array(
      z.object({ version: z.number().int(), sha256: z.string(), created_at: z.string(), by: z.string() }),
    ),
    next_cursor,
  })
  .meta({ id: 'AgentVersionPage' })

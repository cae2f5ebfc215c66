/** The offer of the MCP server: nothing but the tools and agents that the configuration names. */
import type { AgentSettings, HostedTool } from '@toolwire/core'
import { z } from 'zod'

/** An agent, as its caller sees it, and the settings of its sessions. */
export interface OfferedAgent {
  readonly name: string
  readonly description: string
  readonly settings: AgentSettings
}

export interface Offer {
  /** Names of tools; one that ends in `*` names all that begin so. */
  readonly tools: readonly string[]
  readonly agents: readonly OfferedAgent[]
}

/** A tool as `tools/list` shows it. */
export interface ListedOffer {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>> & { readonly type: 'object' }
  readonly outputSchema?: Readonly<Record<string, unknown>> & { readonly type: 'object' }
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly openWorldHint?: boolean
  }
}

const AGENT_PREFIX = 'agent_'
const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

export const AgentInput = z.strictObject({
  message: z.string().min(1).max(1_000_000),
  session_id: z.string().min(1).max(128).optional(),
})
export type AgentInput = z.infer<typeof AgentInput>

const AGENT_INPUT = {
  $schema: DIALECT,
  type: 'object',
  properties: {
    message: { type: 'string', description: 'The message to the agent.' },
    session_id: {
      type: 'string',
      description: 'Continues the conversation of an earlier result. A new one starts without it.',
    },
  },
  required: ['message'],
  additionalProperties: false,
} as const
const AGENT_OUTPUT = {
  $schema: DIALECT,
  type: 'object',
  properties: { text: { type: 'string' }, session_id: { type: 'string' } },
  required: ['text', 'session_id'],
} as const

export const isOffered = ({ tools }: Offer, name: string): boolean =>
  tools.some(pattern => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern))

export const agentTool = (agent: string): string => AGENT_PREFIX + agent

/** The agent behind a tool's name. */
export const findAgent = ({ agents }: Offer, tool: string): OfferedAgent | undefined =>
  agents.find(agent => agentTool(agent.name) === tool)

/** Agents first; a tool with an agent's name is hidden by it. */
export function listOffers(offer: Offer, tools: readonly HostedTool[]): readonly ListedOffer[] {
  const agents = offer.agents.map(toAgentTool)
  const taken = new Set(agents.map(agent => agent.name))
  const offered = tools.filter(({ name }) => isOffered(offer, name) && !taken.has(name))
  return [...agents, ...offered.map(toTool)]
}

const toAgentTool = ({ name, description }: OfferedAgent): ListedOffer => ({
  name: agentTool(name),
  description,
  inputSchema: AGENT_INPUT,
  outputSchema: AGENT_OUTPUT,
  // Its tools decide, and rules about them.
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
})

const toTool = ({ name, description, input_schema, isReadOnly, isDestructive }: HostedTool): ListedOffer => ({
  name,
  description,
  inputSchema: { $schema: DIALECT, ...input_schema, type: 'object' },
  annotations: { readOnlyHint: isReadOnly, destructiveHint: isDestructive || !isReadOnly },
})

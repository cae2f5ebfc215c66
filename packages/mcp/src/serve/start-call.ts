/** Starts the call that a request of `tools/call` asks for, if the configuration offers it. */
import { type CallToolRequest, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { HostedCall } from '@toolwire/core'
import { z } from 'zod'
import type { CallScope } from './call-scope.ts'
import { AgentInput, agentTool, findAgent, isOffered, type Offer } from './offer.ts'

/** In `_meta`: the same key starts one call, and gets its result again. */
export const KEY_META = 'toolwire/idempotency_key'
const Key = z.string().min(1).max(255)

/** Throws -32602 for an unknown name, and arguments that an agent does not take. */
export async function startCall(
  { serving: { host, offer }, ctx }: CallScope,
  { name, arguments: input = {} }: CallToolRequest['params'],
): Promise<HostedCall> {
  const key = readKey(ctx.mcpReq._meta?.[KEY_META])
  const agent = findAgent(offer, name)
  if (agent) {
    const { message, session_id } = parseAgentInput(input)
    return await host.startAgent({ name: agent.name, agent: agent.settings, message, session_id, key })
  }
  if (!isOffered(offer, name) || !host.tools().some(tool => tool.name === name))
    throw invalid(`Unknown tool: ${name.slice(0, 100)}`)
  return await host.start({ name, input, key })
}

/** The name under which a call was made; undefined if it is not offered any more. */
export function toolNameOf(offer: Offer, { name, isAgent }: HostedCall): string | undefined {
  const tool = isAgent ? agentTool(name) : name
  const isThere = isAgent ? findAgent(offer, tool) !== undefined : isOffered(offer, tool)
  return isThere ? tool : undefined
}

function parseAgentInput(input: unknown): AgentInput {
  const parsed = AgentInput.safeParse(input)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw invalid(`${issue?.path.join('.') || 'arguments'}: ${issue?.message ?? 'invalid'}`)
}

function readKey(value: unknown): string | undefined {
  if (value === undefined) return undefined
  const key = Key.safeParse(value)
  if (key.success) return key.data
  throw invalid(`_meta.${KEY_META}: 1 to 255 characters`)
}

const invalid = (message: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message)

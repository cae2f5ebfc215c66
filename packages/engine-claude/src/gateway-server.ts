/**
 * The in-process MCP server `gateway`: lists the tools that Toolwire or its client will run, and
 * hands every call to a handler that answers whenever it can. Raw schemas pass through unchanged,
 * but for a union at the root, with which the far side would drop the tool without a word.
 */
import type { ToolSpec } from '@toolwire/core'
import { isObject, type JsonObject } from '@toolwire/core'
import { asObject, asObjects, asText } from './json.ts'
import type { RpcMessage, RpcTransport } from './sdk.ts'
import { GATEWAY, type ToolNames } from './tool-names.ts'

/** The result of a call in MCP's format. */
export interface GatewayResult {
  readonly content: readonly JsonObject[]
  readonly isError?: boolean
}

export interface GatewayServer {
  /** Called by the SDK, once per child. */
  readonly connect: (transport: RpcTransport) => Promise<void>
  readonly close: () => Promise<void>
}

const TOOL_USE_ID = 'claudecode/toolUseId'

/** `call` is given the id under which the model made the call; its promise may stay open for as long as it takes. */
export function createGatewayServer(
  tools: readonly ToolSpec[],
  names: ToolNames,
  call: (call_id: string) => Promise<GatewayResult>,
): GatewayServer {
  async function answer(method: string, params: JsonObject): Promise<JsonObject | undefined> {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: params['protocolVersion'],
          capabilities: { tools: {} },
          serverInfo: { name: GATEWAY, version: '1' },
        }
      case 'ping':
        return {}
      case 'tools/list':
        return { tools: tools.map(tool => toListed(tool, names)) }
      case 'tools/call':
        return { ...(await call(asText(asObject(params['_meta'])[TOOL_USE_ID]))) }
      default:
        return undefined
    }
  }

  async function receive(message: RpcMessage, transport: RpcTransport): Promise<void> {
    const { id, method } = message
    // Notifications need no answer: a cancelled call is settled by its canceller.
    if (id === undefined || typeof method !== 'string') return
    const result = await answer(method, asObject(message['params']))
    const error = { code: -32601, message: `There is no method ${method}.` }
    await transport.send({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) })
  }

  return {
    async connect(transport) {
      // A child that is gone cannot be answered any more, and need not be.
      transport.onmessage = message => void receive(message, transport).catch(() => {})
    },
    close: async () => {},
  }
}

function toListed(tool: ToolSpec, names: ToolNames): JsonObject {
  const { schema, note } = withoutRootUnion(tool.input_schema)
  return {
    name: names.toGateway(tool.name),
    description: `${tool.description ?? ''}${note}`,
    inputSchema: schema,
    // Calls that may write are run one after another over there, and a waiting one would block the next.
    annotations: { readOnlyHint: true },
  }
}

const UNIONS = ['oneOf', 'anyOf', 'allOf'] as const

/** A union at the root becomes the union of its properties; its constraints go into the description. */
export function withoutRootUnion(schema: JsonObject): { readonly schema: JsonObject; readonly note: string } {
  const unions = UNIONS.filter(key => Array.isArray(schema[key]))
  if (unions.length === 0) return { schema: { ...schema, type: 'object' }, note: '' }
  const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => !isUnion(key)))
  const branches = unions.flatMap(key => asObjects(schema[key]))
  const properties = Object.assign({}, ...branches.map(branch => asObject(branch['properties'])))
  const told = JSON.stringify(Object.fromEntries(unions.map(key => [key, schema[key]])))
  return {
    schema: { ...rest, type: 'object', properties: { ...properties, ...ownProperties(schema) } },
    note: `\n\nThe arguments must also satisfy this JSON Schema: ${told}`,
  }
}

const isUnion = (key: string): boolean => (UNIONS as readonly string[]).includes(key)

const ownProperties = (schema: JsonObject): JsonObject =>
  isObject(schema['properties']) ? schema['properties'] : {}

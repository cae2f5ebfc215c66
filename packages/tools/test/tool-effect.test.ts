/** What a tool says of itself before it is called: whether it reads, changes, asks, or warns of more. */
import type { Client } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import type { Connection } from '../../mcp/src/connection.ts'
import { listTools } from '../../mcp/src/list-tools.ts'
import { createMcpTool } from '../../mcp/src/mcp-tool.ts'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { toolEffect } from '../src/tool-effect.ts'

test('built-in tools read, change, ask, or depend on their arguments', () => {
  const tools = new Map(createBuiltinTools().map(tool => [tool.name, toolEffect(tool)]))
  expect(tools.get('Read')).toBe('reads')
  expect(tools.get('Edit')).toBe('changes')
  expect(tools.get('Bash')).toBe('depends')
  expect(tools.get('Agent')).toBe('depends')
  expect(tools.get('AskUserQuestion')).toBe('asks')
})

/** The tools of a server that says this of them. */
async function offered(annotations: readonly object[], trusted: boolean) {
  const entries = annotations.map((given, n) => ({
    name: `tool${n}`,
    inputSchema: { type: 'object' },
    annotations: given,
  }))
  const client = {
    getServerCapabilities: () => ({ tools: {} }),
    request: async () => ({ tools: entries }),
  } as unknown as Client
  const connection = { name: 'other', config: { trusted } } as unknown as Connection
  const { tools } = await listTools(client)
  return tools
    .map(tool => createMcpTool(tool.name, tool, connection))
    .map(tool => ({ effect: toolEffect(tool), warns: tool.destructive === true }))
}

const SAID = [
  { readOnlyHint: true },
  { destructiveHint: true },
  { readOnlyHint: true, destructiveHint: true },
]

test('a server that is not trusted is believed when it warns, and not when it reassures', async () => {
  expect(await offered(SAID, false)).toEqual([
    { effect: 'changes', warns: false },
    { effect: 'changes', warns: true },
    { effect: 'changes', warns: false },
  ])
})

test('a trusted one is believed in both', async () => {
  expect(await offered(SAID, true)).toEqual([
    { effect: 'reads', warns: false },
    { effect: 'changes', warns: true },
    { effect: 'reads', warns: false },
  ])
})

/** Tools and what they may do: trying one, permission rules, MCP servers, memory. */
import { z } from 'zod'
import { CallbackBody } from '../../routes/mcp.ts'
import { MemoryQuery } from '../../routes/memory.ts'
import { ExplainBody, ListQuery, RehearseBody, RuleBody } from '../../routes/permissions.ts'
import { PageCallBody, ResourceQuery } from '../../routes/tool-pages.ts'
import { TryBody } from '../../routes/try-tool.ts'
import { empty, json, type Operation, raw } from '../operation.ts'
import {
  Explained,
  McpList,
  McpServerNamed,
  MemoryFile,
  MemoryList,
  PageCalled,
  PageContents,
  PermissionList,
  Rehearsed,
  RevokedRule,
  SetRule,
  ToolList,
  ToolPage,
  TriedCall,
} from '../shapes/tool-shapes.ts'

const known = ['session_not_found', 'session_deleted'] as const
const Callback = z.object({ code: z.string(), state: z.string(), error: z.string() }).partial()

const tools: readonly Operation[] = [
  {
    method: 'GET',
    url: '/api/tools',
    id: 'listTools',
    tag: 'Tools',
    summary: 'The tools that sessions can use',
    answers: { 200: json(ToolList, 'Their schemas are those that models are told.') },
  },
  {
    method: 'POST',
    url: '/api/tools/:name/try',
    id: 'tryTool',
    tag: 'Tools',
    summary: 'Make one call in a session of its own',
    body: TryBody.meta({ id: 'TryTool' }),
    isBodyOptional: true,
    refuses: ['bad_request', 'not_found'],
    answers: { 201: json(TriedCall, 'The result, or what the call waits for.') },
  },
]

const permissions: readonly Operation[] = [
  {
    method: 'GET',
    url: '/api/permissions',
    id: 'listPermissions',
    tag: 'Permissions',
    summary: 'The rules that count, for a session or for new ones',
    query: ListQuery,
    refuses: ['bad_request', 'not_found', ...known],
    answers: { 200: json(PermissionList, 'Rules with where they come from.') },
  },
  {
    method: 'POST',
    url: '/api/permissions',
    id: 'addPermission',
    tag: 'Permissions',
    summary: 'Set a rule for a session or its project',
    query: ListQuery,
    body: RuleBody.meta({ id: 'PermissionWish' }),
    refuses: ['bad_request', 'not_found', 'conflict', ...known],
    answers: { 201: json(SetRule, 'The rule as it is kept.') },
  },
  {
    method: 'PUT',
    url: '/api/permissions/:id',
    id: 'changePermission',
    tag: 'Permissions',
    summary: 'Put a rule in the place of another',
    query: ListQuery,
    body: RuleBody.meta({ id: 'PermissionWish' }),
    refuses: ['bad_request', 'not_found', 'conflict', ...known],
    answers: { 200: json(SetRule, 'The rule as it is kept.') },
  },
  {
    method: 'DELETE',
    url: '/api/permissions/:id',
    id: 'revokePermission',
    tag: 'Permissions',
    summary: 'Take a rule back',
    query: ListQuery,
    refuses: ['bad_request', 'not_found', 'conflict', ...known],
    answers: { 200: json(RevokedRule, 'The rule that is gone.') },
  },
  {
    method: 'POST',
    url: '/api/permissions/explain',
    id: 'explainPermission',
    tag: 'Permissions',
    summary: 'Why a call would be allowed, asked about or denied, or what a rule would have changed',
    description: 'Nothing is run, recorded or remembered.',
    body: z
      .union([ExplainBody.meta({ id: 'ExplainCall' }), RehearseBody.meta({ id: 'RehearseRule' })])
      .meta({ id: 'ExplainRequest' }),
    refuses: ['bad_request', 'not_found', ...known],
    answers: {
      200: json(z.union([Explained, Rehearsed]), 'What decides, or what the rule would let through.'),
    },
  },
]

const mcp: readonly Operation[] = [
  {
    method: 'GET',
    url: '/api/mcp',
    id: 'listMcpServers',
    tag: 'MCP',
    summary: 'The MCP servers that this one uses, and how they are',
    answers: { 200: json(McpList, 'One entry per configured server.') },
  },
  {
    method: 'GET',
    url: '/api/mcp/callback',
    id: 'finishMcpSignIn',
    tag: 'MCP',
    summary: 'Where a browser comes back to after signing in',
    open: true,
    query: Callback,
    answers: { 200: raw('text/html', 'A page that says so.'), 400: raw('text/html', 'No sign-in fits.') },
  },
  {
    method: 'POST',
    url: '/api/mcp/callback',
    id: 'pasteMcpSignIn',
    tag: 'MCP',
    summary: 'Finish signing in with the address that a browser ended at',
    body: CallbackBody.meta({ id: 'McpCallback' }),
    refuses: ['bad_request'],
    answers: { 200: json(McpServerNamed, 'The server that can be used now.') },
  },
  {
    method: 'DELETE',
    url: '/api/mcp/:name/sign-in',
    id: 'signOutOfMcp',
    tag: 'MCP',
    summary: 'Sign out of a server',
    refuses: ['not_found'],
    answers: { 200: json(McpServerNamed, 'The server.') },
  },
]

const pages: readonly Operation[] = [
  {
    method: 'GET',
    url: '/api/sessions/:id/calls/:call/page',
    id: 'readToolPage',
    tag: 'MCP',
    summary: 'The page that an MCP server shows beside a call of its tool',
    refuses: ['not_found', 'call_not_found', ...known],
    answers: { 200: json(ToolPage, 'Its HTML, to be shown in a sandboxed frame and nowhere else.') },
  },
  {
    method: 'GET',
    url: '/api/sessions/:id/calls/:call/page/resource',
    id: 'readForToolPage',
    tag: 'MCP',
    summary: 'A resource of the MCP server that the page belongs to',
    query: ResourceQuery,
    refuses: ['bad_request', 'forbidden', 'not_found', 'call_not_found', ...known],
    answers: { 200: json(PageContents, 'What the server gave.') },
  },
  {
    method: 'POST',
    url: '/api/sessions/:id/calls/:call/page/calls',
    id: 'callFromToolPage',
    tag: 'MCP',
    summary: 'Call a tool of the same MCP server on behalf of the page',
    description:
      'The call is made in a session of the page, by the same rules as any other, approvals included.',
    body: PageCallBody.meta({ id: 'PageCall' }),
    refuses: ['bad_request', 'forbidden', 'call_not_found', ...known],
    answers: { 202: json(PageCalled, 'Where to follow the call.') },
  },
]

const path = 'The path of the file, which begins with `user/`, `project/` or `session/`.'

const memory: readonly Operation[] = [
  {
    method: 'GET',
    url: '/api/memory',
    id: 'listMemory',
    tag: 'Memory',
    summary: 'The notes that models keep for later sessions',
    query: MemoryQuery,
    refuses: ['bad_request', ...known],
    answers: { 200: json(MemoryList, 'Their files.') },
  },
  {
    method: 'GET',
    url: '/api/memory/*',
    id: 'readMemory',
    tag: 'Memory',
    summary: 'One file of notes',
    rest: path,
    query: MemoryQuery,
    refuses: ['bad_request', 'not_found', ...known],
    answers: { 200: json(MemoryFile, 'Its text.') },
  },
  {
    method: 'DELETE',
    url: '/api/memory/*',
    id: 'deleteMemory',
    tag: 'Memory',
    summary: 'Delete one file of notes',
    rest: path,
    query: MemoryQuery,
    refuses: ['bad_request', 'not_found', ...known],
    answers: { 204: empty('It is gone.') },
  },
]

export const toolOperations: readonly Operation[] = [...tools, ...permissions, ...mcp, ...pages, ...memory]

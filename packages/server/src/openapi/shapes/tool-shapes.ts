/** Tools, permission rules, undo, MCP servers and memory, as the session API shows them. */
import { PendingItem, ToolSpec } from '@toolwire/core/schema'
import { z } from 'zod'
import type { ToolPage as PageOfTool } from '../../ports/mcp-port.ts'
import type { ListedRule } from '../../ports.ts'
import { describes } from './describes.ts'

export const ToolList = z
  .object({
    tools: z.array(
      z.looseObject({
        ...ToolSpec.shape,
        effect: z
          .enum(['reads', 'changes', 'depends', 'asks'])
          .optional()
          .describe('What calls of it can do; `depends` on their arguments, `asks` a person.'),
        destructive: z.boolean().optional().describe('It warns that it destroys what it changes.'),
        page: z.boolean().optional().describe('Its server has a page to show beside its calls.'),
      }),
    ),
    problems: z.array(z.string()).optional().describe("What is wrong with the server's own tools."),
  })
  .meta({ id: 'ToolList' })

export const TriedCall = z
  .object({
    session_id: z.string(),
    call_id: z.string().optional(),
    status: z.enum(['completed', 'failed', 'pending', 'running']),
    result: z.record(z.string(), z.unknown()).optional(),
    pending: z.array(PendingItem),
  })
  .meta({ id: 'TriedCall' })

export const CancelledCall = z
  .object({ session_id: z.string(), call_id: z.string(), cancelled: z.boolean() })
  .meta({ id: 'CancelledCall' })

const decision = z.enum(['allow', 'ask', 'deny'])

const Rule = describes<ListedRule>()(
  z.object({
    id: z.string(),
    rule: z.string(),
    decision,
    source: z.string(),
    revocable: z.boolean(),
    expires_at: z.string().optional().describe('It counts until then; always when absent.'),
  }),
).meta({ id: 'PermissionRule' })

export const PermissionList = z
  .object({
    mode: z.string(),
    workspace: z.string().nullable(),
    rules: z.array(Rule),
    grants: z.array(Rule).describe('What was allowed for this session alone.'),
  })
  .meta({ id: 'PermissionList' })

export const SetRule = z.object({ rule: Rule }).meta({ id: 'SetRule' })

export const RevokedRule = z.object({ revoked: Rule }).meta({ id: 'RevokedRule' })

export const Explained = z
  .object({
    tool: z.string(),
    decision,
    reason: z.string(),
    code: z.string().optional().describe('Of a denial: the code that the failed call would carry.'),
    mode: z.string(),
    read_only: z.boolean().optional(),
    subject: z.unknown().optional(),
    rule: z.object({ text: z.string(), decision: z.string(), source: z.string() }).optional(),
    suggested_rule: z.string().optional(),
    parts: z.array(z.unknown()).optional().describe('Every sub-command, with what decided it.'),
  })
  .meta({ id: 'ExplainedCall' })

export const Rehearsed = z
  .object({
    rule: z.string().describe('Exactly as it would be kept.'),
    decision,
    agent: z.string().optional().describe('The kind of agent that it is for; every agent when absent.'),
    content: z.string().optional().describe('What the call must be about; anything when absent.'),
    tools: z.array(z.string()).describe('The tools of the session that it governs.'),
    calls: z.number().int().describe('Calls that were looked at.'),
    changed: z.number().int().describe('Those that it would have decided otherwise.'),
    allowed: z.array(z.object({ call_id: z.string(), name: z.string(), read_only: z.boolean() })),
    writes: z.number().int(),
  })
  .meta({ id: 'RehearsedRule' })

export const Undone = z
  .object({
    session_id: z.string(),
    dry_run: z.boolean(),
    files: z.array(
      z.object({
        path: z.string(),
        action: z.enum(['restored', 'removed', 'unchanged', 'conflict', 'lost']),
        message: z.string().optional(),
        call_ids: z.array(z.string()),
        diff: z.string().optional(),
      }),
    ),
  })
  .meta({ id: 'Undone' })

export const WorkspaceFolder = z
  .object({
    session_id: z.string(),
    path: z.string().describe('Relative to the workspace.'),
    entries: z.array(
      z.object({
        name: z.string(),
        kind: z.enum(['directory', 'file', 'link', 'other']).describe('Links are never followed.'),
        bytes: z.number().int().optional(),
        modified_at: z.string().optional(),
        denied: z.string().optional().describe('Why Read would not open it without asking.'),
      }),
    ),
    next: z.string().nullable().describe('Cursor of the next page.'),
    truncated: z.boolean().describe('The folder has more entries than are read.'),
  })
  .meta({ id: 'WorkspaceFolder' })

export const McpList = z
  .object({
    servers: z.array(
      z.looseObject({
        name: z.string(),
        state: z.enum(['connecting', 'ready', 'waiting', 'needs_auth', 'closed']),
        authorization_url: z.string().optional(),
        error: z.string().optional(),
      }),
    ),
  })
  .meta({ id: 'McpServerList' })

export const McpServerNamed = z.object({ server: z.string() }).meta({ id: 'McpServerNamed' })

const origins = z.array(z.string()).describe('A wish of the page; nothing is granted by it.')

export const ToolPage = describes<PageOfTool & { readonly session_id?: string }>()(
  z.object({
    server: z.string(),
    uri: z.string(),
    html: z.string(),
    tool: z.object({
      name: z.string(),
      title: z.string().optional(),
      description: z.string(),
      input_schema: z.record(z.string(), z.unknown()),
    }),
    connect: origins,
    load: origins,
    border: z.boolean().optional(),
    session_id: z.string().optional().describe('Where calls of the page are; absent before the first.'),
  }),
).meta({ id: 'ToolPage' })

export const PageContents = z.object({ contents: z.array(z.unknown()) }).meta({ id: 'PageContents' })

export const PageCalled = z.object({ session_id: z.string(), run_id: z.string() }).meta({ id: 'PageCalled' })

export const MemoryList = z
  .object({
    enabled: z.boolean(),
    files: z.array(z.object({ path: z.string(), bytes: z.number(), updated_at: z.string() })),
  })
  .meta({ id: 'MemoryList' })

export const MemoryFile = z.object({ path: z.string(), text: z.string() }).meta({ id: 'MemoryFile' })

/** Branches of a session, as the session API shows them. */
import { z } from 'zod'

const Effects = z.object({
  files: z
    .array(
      z.looseObject({
        path: z.string(),
        action: z.string().describe('As an undo reports it; `conflict` and `lost` are left as they are.'),
      }),
    )
    .describe('Files that the replaced part changed.'),
  commands: z.array(z.object({ call_id: z.string(), command: z.string() })),
  calls: z
    .array(z.object({ call_id: z.string(), name: z.string() }))
    .describe('Calls of MCP servers and of the web. Nothing takes them back.'),
})

export const BranchPreview = z
  .object({ session_id: z.string(), effects: Effects })
  .meta({ id: 'BranchPreview' })

export const OpenedBranch = z
  .object({
    session_id: z.string(),
    branch_id: z.string(),
    message_id: z.string().describe('The user message of the branch.'),
    run_id: z.string().describe('The run that answers it.'),
    effects: Effects.describe('Of the replaced part; with `restore`, what became of each file.'),
    queued: z.array(z.string()).describe('Ids of messages that wait and run after it.'),
  })
  .meta({ id: 'OpenedBranch' })

export const BranchList = z
  .object({
    session_id: z.string(),
    active: z.string(),
    branches: z.array(
      z.object({
        branch_id: z.string(),
        parent_branch_id: z.string().nullable(),
        after_seq: z.number().int().optional().describe('The latest event of the parent that belongs to it.'),
        reason: z.enum(['regenerate', 'edit']).optional(),
        replaces: z.string().optional().describe('The user message that it has another version of.'),
      }),
    ),
  })
  .meta({ id: 'BranchList' })

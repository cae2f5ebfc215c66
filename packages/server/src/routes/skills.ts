/** Skills that sessions in a folder may load: /api/skills. */
import { AppError } from '@toolwire/core'
import { z } from 'zod'
import { defineRoute } from '../http/route.ts'
import { json } from '../openapi/operation.ts'
import { chooseWorkspace } from '../sessions/choose-workspace.ts'
import { readOwnerPrompt } from '../sessions/owner-prompt.ts'

const SkillShape = z
  .object({
    name: z.string(),
    description: z.string(),
    source: z.enum(['operator', 'project']),
    path: z.string(),
    sha256: z.string(),
    allowed_tools: z.array(z.string()),
    for_models: z.boolean(),
    for_users: z.boolean(),
    /** The folder of the skill that replaces it. */
    shadowed_by: z.string().optional(),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'Skill' })

const SkillPage = z
  .object({
    skills: z.array(SkillShape),
    /** Folders and files that are not trusted. */
    skipped: z.array(z.string()),
    warnings: z.array(z.string()),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'SkillPage' })

const ListQuery = z.object({
  workspace: z
    .string()
    .min(1)
    .max(4096)
    .refine(value => !value.includes('\0'), { message: 'not a path' })
    .optional(),
  cursor: z
    .string()
    .regex(/^\d{1,4}$/)
    .optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
})

export const listSkillsRoute = defineRoute({
  method: 'GET',
  path: '/api/skills',
  scope: 'read',
  id: 'listSkills',
  tag: 'Prompts',
  summary: 'Skills that sessions in a folder may load',
  description:
    'By name; skills that another one of their name replaces follow it. `skipped` names what is not trusted.',
  query: ListQuery,
  errors: ['bad_request', 'forbidden', 'not_found'],
  responses: { 200: json(SkillPage, 'One page. The folder is searched for each page.') },
  handle: async (exchange, context) => {
    const { workspace, cursor = '0', limit } = exchange.parseQuery()
    const { skills: port } = context.ports
    if (!port) throw new AppError('not_found', 'This server has no skills.')
    const folder = chooseWorkspace(context, workspace)
    const { records } = context
    const { trusted = [] } = records ? await readOwnerPrompt(records, context.principal().owner) : {}
    const { skills, skipped, warnings } = await port.list(folder, trusted)
    const end = Number(cursor) + limit
    return {
      skills: skills.slice(Number(cursor), end).map(skill => ({
        ...skill,
        allowed_tools: [...skill.allowed_tools],
        warnings: [...skill.warnings],
      })),
      skipped: [...skipped],
      warnings: [...warnings],
      next_cursor: end < skills.length ? String(end) : null,
    }
  },
})

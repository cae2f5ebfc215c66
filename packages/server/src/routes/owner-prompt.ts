/** The owner's part of prompts: /api/me/instructions, and the folders whose instruction files are trusted: /api/workspaces/trust. */
import { AppError, type Records } from '@toolwire/core'
import { z } from 'zod'
import { recordAudit } from '../access/record-audit.ts'
import type { ServerContext } from '../context.ts'
import { emptyReply, reply } from '../http/reply.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { empty, json } from '../openapi/operation.ts'
import { OwnerInstructions, TrustedFolders, TrustedFolderView } from '../openapi/shapes/context-shapes.ts'
import { chooseWorkspace } from '../sessions/choose-workspace.ts'
import {
  changedFiles,
  distrustFolder,
  type InspectedFolder,
  readOwnerPrompt,
  trustFolder,
  writeInstructions,
} from '../sessions/owner-prompt.ts'

const MAX_BYTES = 16 * 1024
const instructionText = z
  .string()
  .refine(text => Buffer.byteLength(text) <= MAX_BYTES, { message: `at most ${MAX_BYTES} bytes` })
  .refine(text => !text.includes('\0') && text.isWellFormed(), { message: 'not text' })
const path = z
  .string()
  .min(1)
  .max(4096)
  .refine(value => !value.includes('\0'), { message: 'not a path' })
const TrustBody = z.strictObject({ path })
const tag = 'Prompts'

const instructionRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/me/instructions',
    scope: 'read',
    id: 'getInstructions',
    sharedByOwner: true,
    tag,
    summary: "The owner's instructions for all their sessions",
    errors: ['not_found'],
    responses: { 200: json(OwnerInstructions, 'Empty when nothing is set.') },
    handle: async (_exchange, context) => {
      const { instructions = '' } = await readOwnerPrompt(recordsOf(context), context.principal().owner)
      return { instructions }
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/me/instructions',
    scope: 'write',
    id: 'setInstructions',
    sharedByOwner: true,
    tag,
    summary: "Set the owner's instructions",
    description: 'They are part of the prompt of sessions that start later. At most 16 KiB.',
    body: z.strictObject({ instructions: instructionText }),
    errors: ['bad_request', 'not_found'],
    responses: { 200: json(OwnerInstructions, 'As stored.') },
    handle: async (exchange, context) => {
      const { instructions } = exchange.parseBody()
      await writeInstructions(recordsOf(context), context.principal().owner, instructions)
      const details = { bytes: Buffer.byteLength(instructions) }
      await recordAudit(context, 'instructions.changed', { details })
      return { instructions }
    },
  }),
]

const trustRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/workspaces/trust',
    scope: 'admin',
    id: 'listTrustedFolders',
    tag,
    summary: 'Folders whose instruction files are loaded',
    description:
      'Those of the configuration are not listed. `changed` names files that are not loaded because they have changed.',
    errors: ['not_found'],
    responses: { 200: json(TrustedFolders, 'The folders of the owner.') },
    handle: async (_exchange, context) => {
      const { trusted = [] } = await readOwnerPrompt(recordsOf(context), context.principal().owner)
      const folders = trusted.map(async folder => ({
        ...folder,
        changed: changedFiles(folder, await inspect(context, folder.path)),
      }))
      return { folders: await Promise.all(folders) }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/workspaces/trust',
    scope: 'admin',
    id: 'trustFolder',
    tag,
    summary: 'Trust the instruction files of a folder as they are now',
    body: TrustBody,
    errors: ['bad_request', 'not_found', 'limit_reached'],
    responses: { 201: json(TrustedFolderView, 'The files and their hashes.') },
    handle: async (exchange, context) => {
      const { owner, key_id } = context.principal()
      const folder = chooseWorkspace(context, exchange.parseBody().path)
      const inspected = await inspect(context, folder)
      const request = { inspected, now: context.clock.now(), by: key_id ?? 'operator' }
      const trusted = await trustFolder(recordsOf(context), owner, request)
      const details = { path: trusted.path, files: trusted.files }
      await recordAudit(context, 'workspace.trusted', { details })
      return reply(201, { ...trusted, changed: [], warnings: inspected.warnings })
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/workspaces/trust',
    scope: 'admin',
    id: 'distrustFolder',
    tag,
    summary: 'Stop loading the instruction files of a folder',
    query: TrustBody,
    errors: ['bad_request', 'not_found'],
    responses: { 204: empty('It is not trusted any more.') },
    handle: async (exchange, context) => {
      const { path: folder } = exchange.parseQuery()
      if (!(await distrustFolder(recordsOf(context), context.principal().owner, folder)))
        throw new AppError('not_found', 'This folder is not trusted.')
      await recordAudit(context, 'workspace.distrusted', { details: { path: folder } })
      return emptyReply(204)
    },
  }),
]

export const ownerPromptRoutes: readonly Route[] = [...instructionRoutes, ...trustRoutes]

function inspect({ ports }: ServerContext, path: string): Promise<InspectedFolder> {
  if (!ports.inspectInstructions) throw new AppError('not_found', 'This server loads no instruction files.')
  return ports.inspectInstructions(path)
}

function recordsOf({ records }: ServerContext): Records {
  if (!records) throw new AppError('not_found', 'This server keeps no records.')
  return records
}

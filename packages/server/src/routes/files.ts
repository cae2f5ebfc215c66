/** The files of a session's workspace: folders page by page, and the content of one file. */
import { basename } from 'node:path'
import { AppError } from '@toolwire/core'
import { parseBody } from '@toolwire/wire'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { withinRoots } from '../choose-workspace.ts'
import type { ServerContext } from '../context.ts'
import { findSession } from '../find-session.ts'
import type { FilePort, FileRequest } from '../ports/file-port.ts'
import { sendFile } from '../send-file.ts'

const path = z.string().max(4096)
export const FolderQuery = z.object({
  path: path.default('').describe('Relative to the workspace; the workspace when absent.'),
  cursor: z.string().max(1000).optional(),
})
export const FileQuery = z.object({ path: path.min(1).describe('Relative to the workspace.') })

type FileRouteParams = { Params: { id: string } }

export function addFileRoutes(app: FastifyInstance, context: ServerContext): void {
  app.get<FileRouteParams>('/api/sessions/:id/files', async request => {
    const { path, cursor } = parseBody(FolderQuery, request.query)
    const { files, found } = await findRequest(context, request, path)
    return { session_id: found.session_id, ...(await files.list(found, cursor)) }
  })

  app.get<FileRouteParams>('/api/sessions/:id/files/content', async (request, reply) => {
    const { path } = parseBody(FileQuery, request.query)
    const { files, found } = await findRequest(context, request, path)
    const full = await files.find(found)
    // Always text to save: a page or a script from a workspace must not run as one of this server.
    reply.headers({
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(basename(full))}`,
      'x-content-type-options': 'nosniff',
    })
    return await sendFile(
      request,
      reply,
      context.config.openFile(full),
      'There is no such file in the workspace.',
    )
  })
}

async function findRequest(
  context: ServerContext,
  request: FastifyRequest<FileRouteParams>,
  path: string,
): Promise<{ readonly files: FilePort; readonly found: FileRequest }> {
  const { files } = context.config
  if (!files) throw new AppError('not_found', 'This server shows no files.')
  const row = await findSession(context, request.params.id)
  const session = await context.sessions.state(row.id)
  return { files, found: { session_id: row.id, session, path, ...withinRoots(context) } }
}

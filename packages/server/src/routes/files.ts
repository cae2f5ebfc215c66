/** The files of a session's workspace: folders page by page, and the content of one file. */
import { basename } from 'node:path'
import { AppError } from '@toolwire/core'
import { z } from 'zod'
import type { ServerContext } from '../context.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { sendFile } from '../http/send-file.ts'
import { empty, json, raw, SESSION_ERRORS } from '../openapi/operation.ts'
import { WorkspaceFolder } from '../openapi/shapes/tool-shapes.ts'
import type { FilePort, FileRequest } from '../ports/file-port.ts'
import { withinRoots } from '../sessions/choose-workspace.ts'
import { findSession } from '../sessions/find-session.ts'

const path = z.string().max(4096)
const FolderQuery = z.object({
  path: path.default('').describe('Relative to the workspace; the workspace when absent.'),
  cursor: z.string().max(1000).optional(),
})
const FileQuery = z.object({ path: path.min(1).describe('Relative to the workspace.') })

export const fileRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/files',
    scope: 'read',
    id: 'listFiles',
    tag: 'Sessions',
    summary: 'A folder of the workspace',
    description: 'The rules of LS and Read apply: what they would deny or ask about is refused or marked.',
    query: FolderQuery,
    errors: ['bad_request', 'forbidden', 'not_found', ...SESSION_ERRORS],
    responses: { 200: json(WorkspaceFolder, 'One page of at most 500 entries.') },
    handle: async (exchange, context) => {
      const { path, cursor } = exchange.parseQuery()
      const { files, found } = await findRequest(context, exchange.params.id, path)
      return { session_id: found.session_id, ...(await files.list(found, cursor)) }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/files/content',
    scope: 'read',
    id: 'getFile',
    tag: 'Sessions',
    summary: 'The content of a file of the workspace',
    description: 'A file that Read would deny or ask about is refused. Links are not followed.',
    query: FileQuery,
    headers: ['Range'],
    errors: ['bad_request', 'forbidden', 'not_found', ...SESSION_ERRORS],
    responses: {
      200: raw('text/plain', 'All of it, as a download.'),
      206: raw('text/plain', 'The requested range.'),
      416: empty('There is no such range.'),
    },
    handle: async (exchange, context) => {
      const { path } = exchange.parseQuery()
      const { files, found } = await findRequest(context, exchange.params.id, path)
      const full = await files.find(found)
      // Always text to save: a page or a script from a workspace must not run as one of this server.
      exchange.setHeaders({
        'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(basename(full))}`,
        'x-content-type-options': 'nosniff',
      })
      const file = context.ports.openFile(full)
      return await sendFile(exchange, file, 'There is no such file in the workspace.')
    },
  }),
]

async function findRequest(
  context: ServerContext,
  id: string,
  path: string,
): Promise<{ readonly files: FilePort; readonly found: FileRequest }> {
  const { files } = context.ports
  if (!files) throw new AppError('not_found', 'This server shows no files.')
  const row = await findSession(context, id)
  const session = await context.sessions.state(row.id)
  return { files, found: { session_id: row.id, session, path, ...withinRoots(context) } }
}

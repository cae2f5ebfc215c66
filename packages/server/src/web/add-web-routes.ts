/**
 * The web app at `/`: its page under every address that the app knows, its files, and a policy
 * that lets the page run nothing but its own code. These routes need no key: they hold no data.
 */
import { AppError } from '@toolwire/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { FRAME_PAGE, FRAME_PATH, frameHeaders } from './html-frame.ts'
import { MISSING_PAGE } from './missing-page.ts'
import { openWebFiles, type WebFile, type WebFiles } from './web-files.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers without an API key. */
    open?: boolean
  }
}

export interface WebOptions {
  /** The folder with the built app. */
  readonly root: string
}

/** Addresses of the app; see its router. */
export const PAGES = [
  '/',
  '/inbox',
  '/tools',
  '/settings',
  '/sessions',
  '/sessions/:id',
  '/sessions/:id/changes',
  '/sessions/:id/files',
  '/sessions/:id/files/*',
  '/sessions/:id/trace',
  '/sessions/:id/events',
] as const

/**
 * `host` is the request's host. A frame loads the page for tools' HTML and nothing else, not even other addresses
 * of this server. Policies cannot name bracketed addresses, so frames are off there, and for a host that cannot be
 * named.
 */
const policyAt = (host: string): string =>
  [...POLICY, `frame-src ${PLAIN_HOST.test(host) ? host + FRAME_PATH : "'none'"}`].join('; ')

const PLAIN_HOST = /^[\w.-]+(:\d+)?$/

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
]

const PAGE_HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  // The page names its files by their content, so it alone must be asked for every time.
  'cache-control': 'no-cache',
} as const

const FILE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'public, max-age=31536000, immutable',
} as const

const OPEN = { config: { open: true }, exposeHeadRoute: false } as const

/** Adds the routes. Without a built app the page says how to build it; the API is not concerned. */
export function addWebRoutes(app: FastifyInstance, { root }: WebOptions): void {
  const files = openWebFiles(root)
  for (const url of PAGES) app.get(url, OPEN, (request, reply) => sendPage(files, request, reply))
  app.get('/icon.svg', OPEN, async (request, reply) => {
    const file = await find(files, 'icon.svg')
    reply.headers({ ...FILE_HEADERS, 'cache-control': 'public, max-age=86400' })
    return await sendFile(request, reply, file)
  })
  app.get<{ Querystring: Readonly<Record<string, unknown>> }>(FRAME_PATH, OPEN, async (request, reply) => {
    const { scripts, connect, load } = request.query
    reply.headers(
      frameHeaders({
        scripts: scripts === '1',
        connect: typeof connect === 'string' ? connect : '',
        load: typeof load === 'string' ? load : '',
        host: request.headers.host ?? '',
      }),
    )
    return await reply.type('text/html; charset=utf-8').send(FRAME_PAGE)
  })
  app.get<{ Params: { file: string } }>('/assets/:file', OPEN, async (request, reply) => {
    const file = await find(files, `assets/${request.params.file}`)
    return await sendFile(request, reply.headers(FILE_HEADERS), file)
  })
}

async function find(files: WebFiles, path: string): Promise<WebFile> {
  const file = await files.get(path)
  if (!file) throw new AppError('not_found')
  return file
}

async function sendPage(
  files: WebFiles,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.headers({ ...PAGE_HEADERS, 'content-security-policy': policyAt(request.headers.host ?? '') })
  const page = await files.get('index.html')
  if (page) return await sendFile(request, reply, page)
  return await reply.code(503).type('text/html; charset=utf-8').send(MISSING_PAGE)
}

async function sendFile(request: FastifyRequest, reply: FastifyReply, file: WebFile): Promise<FastifyReply> {
  reply.header('etag', file.etag)
  reply.header('vary', 'accept-encoding')
  if (request.headers['if-none-match'] === file.etag) return await reply.code(304).send()
  const accepted = String(request.headers['accept-encoding'] ?? '')
  reply.type(file.type)
  if (file.brotli && /\bbr\b/.test(accepted))
    return await reply.header('content-encoding', 'br').send(file.brotli)
  if (file.gzip && /\bgzip\b/.test(accepted))
    return await reply.header('content-encoding', 'gzip').send(file.gzip)
  return await reply.send(file.body)
}

/**
 * The web app at `/`: its page under every address that the app knows, its files, and a policy
 * that lets the page run nothing but its own code. These routes need no key: they hold no data.
 */
import { AppError } from '@toolwire/core'
import { z } from 'zod'
import type { Exchange } from '../http/exchange.ts'
import { emptyReply, type Reply, rawReply } from '../http/reply.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { RouteContext } from '../http/route-context.ts'
import { empty, raw } from '../openapi/operation.ts'
import { FRAME_PAGE, FRAME_PATH, frameHeaders } from './html-frame.ts'
import { MISSING_PAGE } from './missing-page.ts'
import type { WebFile } from './web-files.ts'

/** Addresses of the app; see its router. */
const PAGES = [
  '/',
  '/inbox',
  '/agents',
  '/tools',
  '/settings',
  '/settings/:section',
  '/sessions',
  '/sessions/:id',
  '/sessions/:id/changes',
  '/sessions/:id/files',
  '/sessions/:id/files/*',
  '/sessions/:id/trace',
  '/sessions/:id/events',
  '/sessions/:id/prompt',
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

/** Without a folder for the app these routes do not exist. */
const hasWeb = ({ web }: RouteContext): boolean => web !== undefined

const FrameQuery = z.object({
  scripts: z.enum(['1']).optional().describe('Scripts in the shown text may run.'),
})

const unchanged = empty('It has not changed since it was fetched.')

const pageRoutes = PAGES.map(path =>
  defineRoute({
    method: 'GET',
    path,
    scope: 'open',
    id: `page${path.replace('*', 'path').replaceAll(/[^a-z]+(?<letter>[a-z])?/g, (_, letter?: string) => letter?.toUpperCase() ?? '')}`,
    tag: 'Web app',
    summary: 'The page of the web app',
    ...(path.endsWith('*') ? { rest: 'The path of the file in the workspace.' } : {}),
    responses: {
      200: raw('text/html', 'The page.'),
      304: unchanged,
      503: raw('text/html', 'The app is not built; the page says how to build it.'),
    },
    isServed: hasWeb,
    head: false,
    handle: sendPage,
  }),
)

export const webRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/icon.svg',
    scope: 'open',
    id: 'getIcon',
    tag: 'Web app',
    summary: 'The icon of the web app',
    errors: ['not_found'],
    responses: { 200: raw('image/svg+xml', 'The image.'), 304: unchanged },
    isServed: hasWeb,
    head: false,
    handle: async (exchange, context) => {
      const file = await find(context, 'icon.svg')
      exchange.setHeaders({ ...FILE_HEADERS, 'cache-control': 'public, max-age=86400' })
      return toFileReply(exchange, file)
    },
  }),
  defineRoute({
    method: 'GET',
    path: FRAME_PATH,
    scope: 'open',
    id: 'getFrame',
    tag: 'Web app',
    summary: 'The empty page in which the web app shows HTML of tools',
    query: FrameQuery,
    responses: { 200: raw('text/html', 'The page, under a policy that lets it load nothing.') },
    isServed: hasWeb,
    head: false,
    handle: async exchange => {
      const { scripts, connect, load } = exchange.query
      exchange.setHeaders(
        frameHeaders({
          scripts: scripts === '1',
          connect: typeof connect === 'string' ? connect : '',
          load: typeof load === 'string' ? load : '',
          host: exchange.headers.host ?? '',
        }),
      )
      return rawReply(200, FRAME_PAGE, 'text/html; charset=utf-8')
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/assets/:file',
    scope: 'open',
    id: 'getAsset',
    tag: 'Web app',
    summary: 'A file of the web app, named by its content',
    errors: ['not_found'],
    responses: { 200: raw('*/*', 'The file.'), 304: unchanged },
    isServed: hasWeb,
    head: false,
    handle: async (exchange, context) => {
      const file = await find(context, `assets/${exchange.params.file}`)
      exchange.setHeaders(FILE_HEADERS)
      return toFileReply(exchange, file)
    },
  }),
  ...pageRoutes,
]

async function find({ web }: RouteContext, path: string): Promise<WebFile> {
  const file = await web?.get(path)
  if (!file) throw new AppError('not_found')
  return file
}

/** Without a built app the page says how to build it; the API does not depend on it. */
async function sendPage(exchange: Exchange, { web }: RouteContext): Promise<Reply> {
  exchange.setHeaders({
    ...PAGE_HEADERS,
    'content-security-policy': policyAt(exchange.headers.host ?? ''),
  })
  const page = await web?.get('index.html')
  return page ? toFileReply(exchange, page) : rawReply(503, MISSING_PAGE, 'text/html; charset=utf-8')
}

function toFileReply(exchange: Exchange, file: WebFile): Reply {
  exchange.setHeaders({ etag: file.etag, vary: 'accept-encoding' })
  if (exchange.headers['if-none-match'] === file.etag) return emptyReply(304)
  const accepted = String(exchange.headers['accept-encoding'] ?? '')
  const [encoding, bytes] = chooseEncoding(file, accepted)
  if (encoding !== undefined) exchange.setHeader('content-encoding', encoding)
  return rawReply(200, bytes, file.type)
}

function chooseEncoding(
  { brotli, gzip, body }: WebFile,
  accepted: string,
): readonly [string | undefined, Buffer] {
  if (brotli && /\bbr\b/.test(accepted)) return ['br', brotli]
  if (gzip && /\bgzip\b/.test(accepted)) return ['gzip', gzip]
  return [undefined, body]
}

/** WebFetch: one page of the web as text. Other hosts than the one that was allowed are never contacted, private ones not at all. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Tool, ToolContext, ToolStep } from '@toolwire/core'
import { cutMiddle } from '@toolwire/core'
import { z } from 'zod'
import { OUTPUT_LIMITS } from '../bound-output.ts'
import { defineTool } from '../define-tool.ts'
import { putCounted } from '../disk-quota.ts'
import { fitImage } from '../files/fit-image.ts'
import { mediaOf } from '../files/media.ts'
import { offload } from '../offload/offload.ts'
import { FETCH_LIMITS, type FetchLimits } from '../web/fetch-limits.ts'
import type { FetchResult } from '../web/fetch-page.ts'
import { type Reach, urlProblem } from '../web/reach.ts'

export interface WebFetchOptions extends Reach {
  readonly limits?: Partial<FetchLimits> | undefined
}

const MAX_ERROR_BODY = 2_000

const input = z.strictObject({
  url: z.string().describe('The full address, with https://'),
  prompt: z.string().optional().describe('What you want to learn, in at most ten words; people see it'),
})
type WebFetchInput = z.output<typeof input>

const DESCRIPTION = `Fetches a page from the web and returns its text: HTML as Markdown, images as such, other files stored for other tools. Use addresses that the person, a result or a search gave you; do not guess them.
A person may be asked, host by host. Only public addresses can be reached, without sign-in. The first 10 MiB are read, and text beyond ${OUTPUT_LIMITS.chars} characters is kept in a file. A redirect to another host is reported and not followed: call again with the new address. Status 4xx is final; 429 and 5xx may pass later.`

export const createWebFetchTool = (options: WebFetchOptions = {}): Tool<WebFetchInput> =>
  defineTool({
    name: 'WebFetch',
    type: 'builtin',
    description: DESCRIPTION,
    input,
    limits: [
      { name: 'page', value: `${options.limits?.bytes ?? FETCH_LIMITS.bytes} bytes` },
      { name: 'time', value: `${options.limits?.ms ?? FETCH_LIMITS.ms} ms` },
      { name: 'redirects', value: `${FETCH_LIMITS.redirects}, on the same host` },
      { name: 'addresses', value: 'public ones only' },
    ],
    // An address can carry data out, so the user is asked, host by host.
    isReadOnly: () => false,
    subject: async ({ url }) => ({ type: 'url', url, read_only: true }),
    access: async ({ url }) => [{ key: `net:${URL.parse(url)?.hostname ?? ''}`, mode: 'read' }],
    validate: async ({ url }) => urlProblem(url),
    async *call(call, context) {
      yield { type: 'progress', message: `Fetching ${call.url}` }
      const { limits, ...reach } = options
      const { signal } = context
      const { fetchPage } = await import('../web/fetch-page.ts')
      yield await toStep(await fetchPage({ url: call.url, reach, limits, signal }), context)
    },
    // A page that was asked for twice is still only read.
    recover: async () => ({ type: 'not_done' }),
    view: ({ url }) => ({ title: url, kind: 'web', body: { url } }),
  })

async function toStep(fetched: FetchResult, context: ToolContext): Promise<ToolStep> {
  switch (fetched.type) {
    case 'problem':
      return { type: 'failure', ...fetched.problem }
    case 'elsewhere':
      return {
        type: 'result',
        outside: fetched.url,
        output_text: `${fetched.url} leads to another host (${fetched.status}). To go there, call WebFetch with ${fetched.to}`,
        structured: { url: fetched.url, redirect: fetched.to, status: fetched.status },
      }
    case 'page':
      return fetched.status >= 400 ? await refused(fetched) : await shown(fetched, context)
  }
}

type WebPage = Extract<FetchResult, { readonly type: 'page' }>

async function refused(page: WebPage): Promise<ToolStep> {
  const { status, url } = page
  const said = (await offload('pageText', [page.bytes, page.content_type, url]))?.text.trim() ?? ''
  return {
    type: 'failure',
    code: `http_${status}`,
    message: `${url} answered with status ${status}.${said === '' ? '' : `\n${cutMiddle(said, MAX_ERROR_BODY)}`}`,
    retryable: status === 408 || status === 429 || status >= 500,
    outside: url,
  }
}

async function shown(page: WebPage, context: ToolContext): Promise<ToolStep> {
  const { url, status, content_type, bytes, truncated } = page
  const structured = { url, status, content_type, bytes: bytes.length, ...(truncated ? { truncated } : {}) }
  const media = mediaOf('', bytes.subarray(0, 8192), false)
  if (media.type === 'image' && !truncated) return await picture(page, context, structured)
  const found = await offload('pageText', [bytes, content_type, url])
  if (!found) return { ...(await stored(page, context)), structured }
  const cut = truncated ? `\n[The page is longer; only its first ${bytes.length} bytes were read.]` : ''
  const head = [`Address: ${url}`, ...(found.title ? [`Title: ${found.title}`] : [])].join('\n')
  return {
    type: 'result',
    output_text: `${head}\n\n${found.text.trim() || '(the page is empty)'}${cut}`,
    structured: { ...structured, ...(found.title ? { title: found.title } : {}) },
    view: { title: found.title ?? url, kind: 'web', body: { url } },
    outside: url,
  }
}

async function picture(
  page: WebPage,
  context: ToolContext,
  structured: Readonly<Record<string, unknown>>,
): Promise<ToolStep> {
  const fit = await fitImage(page.bytes)
  if (!fit.ok) return { ...(await stored(page, context)), structured }
  const { data, original: _, ...facts } = fit.image
  const source = {
    type: 'base64',
    media_type: facts.media_type,
    data: Buffer.from(data).toString('base64'),
  } as const
  return {
    type: 'result',
    output_text: `[${page.url}: ${facts.media_type}, ${facts.width}x${facts.height}, ${facts.bytes} bytes]`,
    content: [{ type: 'image', source }],
    structured: { ...structured, width: facts.width, height: facts.height },
  }
}

/** Content other than text and images is stored as a file for other tools. */
async function stored(page: WebPage, context: ToolContext) {
  const name = createHash('sha256').update(page.url).digest('hex').slice(0, 16)
  const extension = /\.([A-Za-z0-9]{1,8})$/.exec(URL.parse(page.url)?.pathname ?? '')?.[1] ?? 'bin'
  const path = join(context.artifacts, `web-${name}.${extension}`)
  await putCounted(path, page.bytes, context.disk)
  const kind = page.content_type || 'of an unknown kind'
  const cut = page.truncated ? ', cut at the limit' : ''
  return {
    type: 'result',
    output_text: `${page.url} is not text (${kind}, ${page.bytes.length} bytes${cut}). It was stored as ${path}`,
  } as const
}

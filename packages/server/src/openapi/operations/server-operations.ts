/** The server itself: health, metrics, models, settings, keys, this description, and the pages of the web app. */
import { z } from 'zod'
import { AuditQuery } from '../../routes/access.ts'
import { ModelsQuery } from '../../routes/models.ts'
import { PAGES } from '../../web/add-web-routes.ts'
import { FRAME_PATH } from '../../web/html-frame.ts'
import { empty, json, type Operation, raw } from '../operation.ts'
import {
  Alive,
  AuditTrail,
  Findings,
  ModelList,
  Myself,
  Ready,
  Settings,
  Storage,
} from '../shapes/server-shapes.ts'

const tag = 'Server'

const about: readonly Operation[] = [
  {
    method: 'GET',
    url: '/health',
    id: 'health',
    tag,
    summary: 'Whether the process lives; the same as /healthz',
    open: true,
    answers: { 200: json(Alive, 'It does.') },
  },
  {
    method: 'GET',
    url: '/healthz',
    id: 'healthz',
    tag,
    summary: 'Whether the process lives',
    open: true,
    answers: { 200: json(Alive, 'It does.') },
  },
  {
    method: 'GET',
    url: '/readyz',
    id: 'readyz',
    tag,
    summary: 'Whether it can serve',
    open: true,
    refuses: ['storage_error', 'shutting_down'],
    answers: { 200: json(Ready, 'The store answers.') },
  },
  {
    method: 'GET',
    url: '/metrics',
    id: 'metrics',
    tag,
    summary: 'Figures for Prometheus',
    answers: { 200: raw('text/plain', 'In the text format, version 0.0.4.') },
  },
  {
    method: 'GET',
    url: '/api/models',
    id: 'listModels',
    tag,
    summary: 'The models that can answer, the default one first',
    query: ModelsQuery,
    refuses: ['bad_request'],
    answers: { 200: json(ModelList, 'What nobody knows of a model is absent.') },
  },
  {
    method: 'GET',
    url: '/api/settings',
    id: 'getSettings',
    tag,
    summary: 'How this server is set up',
    answers: { 200: json(Settings, 'Nothing secret is in it.') },
  },
  {
    method: 'GET',
    url: '/api/storage',
    id: 'getStorage',
    tag,
    summary: 'How much is stored, and how many sessions nobody has touched for a while',
    answers: { 200: json(Storage, 'What `toolwire db stats` tells. Nothing is deleted.') },
  },
  {
    method: 'GET',
    url: '/api/doctor',
    id: 'examineServer',
    tag,
    summary: 'What works on this machine, what is missing, and what to do about it',
    refuses: ['not_found'],
    answers: { 200: json(Findings, 'What `toolwire doctor` finds.') },
  },
  {
    method: 'GET',
    url: '/api/me',
    id: 'getMyself',
    tag,
    summary: 'What the API key of this request may do, and has spent',
    answers: { 200: json(Myself, 'A server without keys knows one owner who may do everything.') },
  },
  {
    method: 'GET',
    url: '/api/audit',
    id: 'listAudit',
    tag,
    summary: 'Who decided on calls and who changed permissions or keys',
    query: AuditQuery,
    refuses: ['bad_request'],
    answers: { 200: json(AuditTrail, 'The latest entries, oldest first.') },
  },
  {
    method: 'GET',
    url: '/openapi.json',
    id: 'getOpenApi',
    tag,
    summary: 'This description',
    open: true,
    answers: { 200: json(z.looseObject({ openapi: z.string() }), 'OpenAPI 3.1.') },
  },
  {
    method: 'GET',
    url: '/reference',
    id: 'getReference',
    tag,
    summary: 'This description as a page',
    open: true,
    answers: { 200: raw('text/html', 'One page without scripts.') },
  },
]

const FrameQuery = z.object({
  scripts: z.enum(['1']).optional().describe('Scripts in the shown text may run.'),
})

const unchanged = empty('It has not changed since it was fetched.')

const files: readonly Operation[] = [
  {
    method: 'GET',
    url: '/icon.svg',
    id: 'getIcon',
    tag: 'Web app',
    summary: 'The icon of the web app',
    open: true,
    refuses: ['not_found'],
    answers: { 200: raw('image/svg+xml', 'The picture.'), 304: unchanged },
  },
  {
    method: 'GET',
    url: FRAME_PATH,
    id: 'getFrame',
    tag: 'Web app',
    summary: 'The empty page in which the web app shows HTML of tools',
    open: true,
    query: FrameQuery,
    answers: { 200: raw('text/html', 'The page, under a policy that lets it load nothing.') },
  },
  {
    method: 'GET',
    url: '/assets/:file',
    id: 'getAsset',
    tag: 'Web app',
    summary: 'A file of the web app, named by its content',
    open: true,
    refuses: ['not_found'],
    answers: { 200: raw('*/*', 'The file.'), 304: unchanged },
  },
]

const pages = PAGES.map(
  (url): Operation => ({
    method: 'GET',
    url,
    id: `page${url.replaceAll(/[^a-z]+(?<letter>[a-z])?/g, (_, letter?: string) => letter?.toUpperCase() ?? '')}`,
    tag: 'Web app',
    summary: 'The page of the web app',
    open: true,
    answers: {
      200: raw('text/html', 'The page.'),
      304: unchanged,
      503: raw('text/html', 'The app is not built; the page says how to build it.'),
    },
  }),
)

export const serverOperations: readonly Operation[] = [...about, ...files, ...pages]

/**
 * A package registry on this machine, for tests: it has the packed packages and takes published ones, and sends every
 * other question to the registry that npm is set to, or answers 404 without one.
 */

import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RegistryPackage {
  readonly manifest: Readonly<Record<string, unknown>> & { readonly name: string; readonly version: string }
  readonly tarball: Buffer
}

export interface LocalRegistry {
  readonly url: string
  /** Names and versions in the order in which they came. */
  readonly published: readonly string[]
  readonly close: () => Promise<void>
}

export interface RegistryOptions {
  readonly packages?: readonly RegistryPackage[]
  /** Address without a slash at its end. */
  readonly upstream?: string
  /** Asked before a package is stored: false answers 500, as a registry does that fails midway. */
  readonly accepts?: (name: string) => boolean
}

export async function openRegistry({
  packages = [],
  upstream,
  accepts,
}: RegistryOptions): Promise<LocalRegistry> {
  const stored = new Map(packages.map(one => [one.manifest.name, one]))
  const published: string[] = []
  const server = createServer((request, response) => {
    answer(request, response).catch(error => end(response, 500, { error: String(error) }))
  })
  const publish = async (request: IncomingMessage, response: ServerResponse, name: string): Promise<void> => {
    const isTaken = stored.has(name)
    const one = toPackage(await readBody(request))
    if (isTaken) return end(response, 403, { error: 'You cannot publish over an existing version.' })
    if (accepts?.(name) === false) return end(response, 500, { error: 'The registry failed.' })
    stored.set(name, one)
    published.push(`${name}@${one.manifest.version}`)
    end(response, 201, { ok: true })
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = decodeURIComponent((request.url ?? '/').split('?')[0] ?? '').slice(1)
    const [name = '', file] = path.split('/-/')
    if (request.method === 'PUT') return await publish(request, response, name)
    const found = stored.get(name)
    if (found && file === undefined) end(response, 200, describe(found, url))
    else if (found) response.end(found.tarball)
    else if (upstream === undefined) end(response, 404, { error: 'not found' })
    else response.writeHead(302, { location: `${upstream}${request.url}` }).end()
  }
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
  return { url, published, close }
}

function end(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function readBody(request: IncomingMessage): Promise<PublishBody> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

/** The body with which npm publishes. */
interface PublishBody {
  readonly versions: Readonly<Record<string, RegistryPackage['manifest']>>
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>
}

function toPackage({ versions, _attachments }: PublishBody): RegistryPackage {
  const [manifest] = Object.values(versions)
  const [attachment] = Object.values(_attachments)
  if (!manifest || !attachment) throw new Error('a package without a version or a tarball')
  return { manifest, tarball: Buffer.from(attachment.data, 'base64') }
}

function describe({ manifest, tarball }: RegistryPackage, url: string): object {
  const { name, version } = manifest
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  const shasum = createHash('sha1').update(tarball).digest('hex')
  const dist = { tarball: `${url}/${name}/-/${version}.tgz`, integrity, shasum }
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } }
}

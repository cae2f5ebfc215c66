/**
 * The product inside of a test: the real server with the demo model, on a free port, in a temporary folder.
 * Neither the developer's settings nor provider keys reach it. Entry `toolwire/testing`.
 */
import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { compose, type Product } from './compose.ts'
import { readConfig } from './config.ts'

export interface TestServerOptions {
  /** Pause between the demo model's deltas in ms; none by default. */
  readonly paceMs?: number
  /** The tools' workspace; a copy of the sample project by default, deleted with the server. */
  readonly workspace?: string
  readonly permissionMode?: 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'bypassPermissions'
  /** Without keys every request is let in, as on one's own machine. */
  readonly apiKeys?: readonly string[]
  /** A JavaScript module whose export `models` holds further models by their ids, and which of them sessions use. */
  readonly modelsModule?: string
  readonly model?: string
  /** Files or folders with custom tools. */
  readonly tools?: readonly string[]
}

export interface TestServer {
  /** For `createClient({ baseUrl: url })`, or any other client. */
  readonly url: string
  /** Stops it and removes its folder. May be called more than once; all calls wait for the same end. */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** Any number may run at once. The caller closes it. Rejects, with nothing left behind, when an option cannot work. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'toolwire-test-'))
  // A test run that ends without closing leaves nothing either.
  const sweep = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', sweep)
  const remove = async () => {
    process.off('exit', sweep)
    await rm(folder, { recursive: true, force: true })
  }
  const product = await start(options, folder).catch(async error => {
    await remove()
    throw error
  })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= product.close().finally(remove)
    return closed
  }
  return { url: product.url, close, [Symbol.asyncDispose]: close }
}

/** No configuration file and no variable is read; the caller's paths are relative to its own folder. */
async function start(options: TestServerOptions, folder: string): Promise<Product> {
  const { paceMs = 0, model = 'demo', workspace, modelsModule, tools, permissionMode, apiKeys } = options
  const flags = {
    model,
    permissionMode,
    apiKeys,
    demoPaceMs: paceMs,
    port: 0,
    data: join(folder, 'data'),
    shellProfile: false,
    workspace: workspace && resolve(workspace),
    modelsModule: modelsModule && resolve(modelsModule),
    tools: tools?.map(path => resolve(path)),
  }
  return await compose(readConfig({ flags, env: {}, cwd: folder }), {})
}

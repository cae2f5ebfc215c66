/** A page, the real server and a browser, for all tests of a block. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { openBrowser } from '../../apps/web/test/browser.ts'
import { type Launched, launch } from '../../packages/cli/test/launch.ts'
import { type PageServer, servePage } from './page-server.ts'

export interface Stage {
  readonly browser: Browser
  readonly server: PageServer
  /** Address of the real server. */
  readonly product: string
  /** Folder that holds the data of the server. */
  readonly folder: string
  /** Ends the server without warning and starts it again on the same data and port. */
  readonly crash: () => Promise<void>
}

/** `build` returns the folder of the built page, which is removed after the tests. */
export function setUpStage(build: () => string, env: Record<string, string> = {}): () => Stage {
  let stage: Stage | undefined
  let product: Launched | undefined
  let page = ''
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-front-end-'))
  const start = (port: string): Promise<Launched> =>
    launch(folder, ['--port', port, '--data', join(folder, 'data')], { TOOLWIRE_DEMO_PACE_MS: '3', ...env })
  beforeAll(async () => {
    page = build()
    product = await start('0')
    const { url } = product
    const server = await servePage(page, url)
    const browser = await openBrowser()
    const crash = async (): Promise<void> => {
      await product?.stop('SIGKILL')
      product = await start(new URL(url).port)
    }
    stage = { browser, server, product: url, folder, crash }
    // A large page takes half a minute to build, more on a busy machine.
  }, 300_000)
  afterAll(async () => {
    await stage?.browser.close()
    await stage?.server.stop()
    await product?.stop()
    for (const path of [folder, page]) if (path !== '') rmSync(path, { recursive: true, force: true })
  })
  return () => {
    if (!stage) throw new Error('The server has not started.')
    return stage
  }
}

/** An example as its visitor meets it: built by Vite, offered by Vite, `/api` led to a real server. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { preview } from 'vite'

export interface Example {
  readonly url: string
  readonly stop: () => Promise<void>
}

export const folderOfExample = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))

/** Builds a page into a temporary folder, which the caller removes. */
export function buildPage(root: string): string {
  const outDir = mkdtempSync(join(tmpdir(), 'toolwire-example-'))
  const vite = join(fileURLToPath(import.meta.resolve('vite/package.json')), '../bin/vite.js')
  // In a separate process: a test run's NODE_ENV would build the slow form of every library.
  const args = [vite, 'build', root, '--outDir', outDir, '--emptyOutDir', '--logLevel', 'error']
  execFileSync(process.execPath, args, { env: { PATH: process.env['PATH'], NODE_ENV: 'production' } })
  return outDir
}

/** Builds into a temporary folder, which `stop` removes, and listens on a free port. */
export async function startExample(name: 'react' | 'vue', server: string): Promise<Example> {
  const root = folderOfExample(name)
  const outDir = buildPage(root)
  const running = await preview({
    root,
    configFile: false,
    logLevel: 'error',
    build: { outDir },
    preview: { host: '127.0.0.1', port: 0, proxy: { '/api': { target: server, changeOrigin: false } } },
  })
  const url = running.resolvedUrls?.local[0]
  if (url === undefined) throw new Error('The example has no address.')
  return {
    url,
    async stop() {
      await running.close()
      rmSync(outDir, { recursive: true, force: true })
    },
  }
}

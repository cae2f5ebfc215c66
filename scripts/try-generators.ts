/**
 * The API description of the installed command, as generators of clients take it: redocly finds nothing in any version,
 * and the clients of two generators type-check and hold a conversation.
 */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from './root.ts'

/** Pinned by hand: the highest number on the registry is not always the current version. */
const TOOLS = [
  '@redocly/cli@2.77.0',
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  '@hey-api/openapi-ts@0.99.0',
  'typescript@5.9.3',
  '@types/node@24.19.2',
]
const VERSIONS = ['3.0', '3.1', '3.2']
const HEY_API = `export default { input: './openapi-3.1.json', output: { path: 'hey-api', importFileExtension: '.js' } }\n`

/** Never the synchronous one: the server may be in this process. */
const run = promisify(execFile)

interface Trial {
  /** A separate folder is made below. */
  readonly work: string
  readonly env: NodeJS.ProcessEnv
  /** A running server with the demo model. */
  readonly url: string
}

export async function tryGenerators({ work, env, url }: Trial): Promise<void> {
  const home = join(work, 'generators')
  cpSync(join(ROOT, 'examples/generated-clients'), home, { recursive: true })
  mkdirSync(join(home, 'generated'), { recursive: true })
  writeFileSync(join(home, 'hey-api.config.mjs'), HEY_API)
  const options = { cwd: home, env: { ...env, REDOCLY_TELEMETRY: 'off' } }
  const npx = async (...args: readonly string[]): Promise<string> =>
    (await run('npx', ['--no-install', ...args], options)).stdout
  await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...TOOLS], options)
  for (const version of VERSIONS) {
    const file = `openapi-${version}.json`
    writeFileSync(join(home, file), await (await fetch(`${url}/openapi.json?version=${version}`)).text())
    const report = await npx('redocly', 'lint', '--extends', 'recommended', '--format', 'json', file)
    const { problems } = JSON.parse(report.slice(report.indexOf('{'))) as {
      readonly problems: readonly object[]
    }
    if (problems.length > 0) throw new Error(`${file}: ${JSON.stringify(problems, null, 1).slice(0, 4000)}`)
  }
  await npx('openapi-typescript', 'openapi-3.1.json', '-o', 'openapi-types.ts')
  await npx('openapi-ts', '-f', 'hey-api.config.mjs')
  await npx('tsc', '--project', '.')
  for (const name of ['with-openapi-fetch', 'with-hey-api']) {
    const { stdout } = await run(process.execPath, [`out/${name}.js`, url], options)
    if (!stdout.includes('answered, approved, refused'))
      throw new Error(`${name} did not hold its conversation: ${stdout}`)
    console.log(`${name}: ${stdout.trim()}`)
  }
}

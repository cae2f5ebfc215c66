/**
 * Installs the command alone, as `npx toolwire` does, and the library beside a user's zod: what comes is counted, and the
 * declarations are checked as strictly as a user can.
 */
import { execFile } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from './root.ts'

/** Never the synchronous one: the registry answers in this process. */
const run = promisify(execFile)

interface Installation {
  readonly work: string
  /** Of npm, with a registry that holds the packed packages. */
  readonly env: NodeJS.ProcessEnv
}

/** Returns the number of packages and bytes that `npm install toolwire` brings. */
export async function tryInstall({ work, env }: Installation): Promise<{
  readonly packages: number
  readonly bytes: number
}> {
  const home = join(work, 'alone')
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), '{"private":true,"type":"module"}\n')
  await run('npm', ['install', 'toolwire'], { cwd: home, env })
  const { packages } = JSON.parse(readFileSync(join(home, 'node_modules/.package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>
  }
  const scripts = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript)
  if (scripts.length > 0) throw new Error(`packages with an install script: ${scripts.map(([name]) => name)}`)
  const bytes = globSync('node_modules/**', { cwd: home })
    .map(path => statSync(join(home, path)))
    .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0)
  const { stdout: version } = await run(join(home, 'node_modules/.bin/toolwire'), ['--version'], { env })
  if (!/^\d+\.\d+\.\d+/.test(version)) throw new Error(`toolwire --version printed ${version}`)
  writeFileSync(join(home, 'common.cjs'), COMMON_JS)
  const { stdout: required } = await run(process.execPath, ['common.cjs'], { cwd: home, env })
  if (!required.includes('200 function')) throw new Error(`require('toolwire') printed ${required}`)
  await checkTypes(home, env)
  return { packages: Object.keys(packages).length, bytes }
}

/** CommonJS: nothing in the graph may await at its top level. */
const COMMON_JS = `
const { createToolwire } = require('toolwire')
const { toNextHandlers } = require('toolwire/next')
const toolwire = createToolwire({ access: 'open' })
toolwire.handler(new Request('http://localhost/healthz')).then(async ({ status }) => {
  console.log(status, typeof toNextHandlers)
  await toolwire.close()
})`

const PROGRAM = `
import { createToolwire, defineTool, type ToolKit } from 'toolwire'
import { toNextHandlers } from 'toolwire/next'
import { toolwirePlugin } from 'toolwire/fastify'
import { startTestServer } from 'toolwire/testing'
import { z } from 'zod'
const tool = defineTool({ name: 'A', description: '', input: z.object({ order: z.string() }), async *call({ order }) {
  yield { type: 'result', output_text: order.toUpperCase() }
} })
export const kit = ({ z }: ToolKit) => z.string()
export const toolwire = createToolwire({ tools: [tool] })
export const { GET } = toNextHandlers(toolwire)
void [toolwirePlugin, startTestServer]
// @ts-expect-error a number is no base path
createToolwire({ basePath: 7 })
// @ts-expect-error an order is text
defineTool({ name: 'A', description: '', input: z.object({ order: z.string() }), async *call({ order }) { order.toFixed() } })
`

/** Declarations of packages are checked too, which most users leave out. */
async function checkTypes(home: string, env: NodeJS.ProcessEnv): Promise<void> {
  await run('npm', ['install', '--save-dev', 'zod@4', '@types/node@24', 'typescript@5.9.3'], {
    cwd: home,
    env,
  })
  writeFileSync(join(home, 'program.ts'), PROGRAM)
  const compilers = [
    join(ROOT, 'node_modules/@typescript/native'),
    join(ROOT, 'node_modules/@typescript/old'),
    join(home, 'node_modules/typescript'),
  ]
  const strict = ['--noEmit', '--strict', '--target', 'esnext', '--types', 'node', '--skipLibCheck', 'false']
  for (const [module, resolution] of [
    ['nodenext', 'nodenext'],
    ['preserve', 'bundler'],
  ] as const)
    for (const compiler of compilers) {
      const options = ['--module', module, '--moduleResolution', resolution, 'program.ts']
      await run(process.execPath, [join(compiler, 'bin/tsc'), ...strict, ...options], { cwd: home })
    }
}

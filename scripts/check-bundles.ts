/**
 * Sizes of the packages in a browser: each entry is bundled and minified in memory, its gzip size compared with
 * its budget. A package is measured without its own dependencies among ours; those have separate budgets.
 */
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, type Rolldown } from 'vite'

interface Budget {
  readonly name: string
  /** Most kB (1000 bytes) after gzip. */
  readonly limit: number
}

export interface Weight extends Budget {
  readonly bytes: number
}

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CONDITIONS = ['toolwire-source', 'module', 'browser', 'development|production']
/**
 * Neither frameworks nor the packages below are counted. `core/parts` is: only what draws needs it, so it
 * belongs to those that draw.
 */
const OUTSIDE: readonly RegExp[] = [
  /^@toolwire\/(?!core\/parts$|react\/)/,
  /^react(?:-dom)?(?:\/|$)/,
  /^vue$/,
]

/** Code that `core/parts` shares with `core/view` is one file in every page; it is measured with core. */
const WEIGHED_WITH_CORE = /\/packages\/core\/src\/view\/(?!parts\/)/

const PACKAGES: readonly (Budget & { readonly entry: string })[] = [
  // Branches and the queue of messages took it past 16.
  { name: 'core', limit: 18, entry: 'packages/core/src/view/index.ts' },
  // Files, branches, the queue and tokens took it past 9.
  { name: 'client', limit: 9.5, entry: 'packages/client/src/index.ts' },
  // Attached files, suggestions, versions of messages and the queue took both past 38.
  { name: 'react', limit: 44, entry: 'packages/react/src/index.ts' },
  { name: 'vue', limit: 46, entry: 'packages/vue/src/index.ts' },
]
// Attached files, versions and the queue took it past 200, although only one language is loaded.
const APP: Budget = { name: 'web app, first load', limit: 206 }

/** Every package and the app, in this order. Writes nothing. Throws when something does not build. */
async function weighBundles(): Promise<readonly Weight[]> {
  const weights: Weight[] = []
  // One after the other: a bundler uses every core by itself.
  for (const { entry, ...budget } of PACKAGES) weights.push({ ...budget, bytes: await weighPackage(entry) })
  return [...weights, { ...APP, bytes: await weighApp() }]
}

const isOver = ({ bytes, limit }: Weight): boolean => bytes > limit * 1000

async function weighPackage(entry: string): Promise<number> {
  const chunks = await bundle({
    root: ROOT,
    entry: fileURLToPath(new URL(`../${entry}`, import.meta.url)),
    outside: WEIGHED_WITH_CORE.test(`/${entry}`) ? OUTSIDE : [...OUTSIDE, WEIGHED_WITH_CORE],
  })
  return chunks.reduce((sum, chunk) => sum + (chunk.type === 'chunk' ? gzipped(chunk.code) : 0), 0)
}

type Output = Rolldown.OutputChunk | Rolldown.OutputAsset

interface Bundling {
  readonly root: string
  readonly entry: string
  readonly outside: readonly RegExp[]
}

async function bundle({ root, entry, outside }: Bundling) {
  const built = await build({
    root,
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    resolve: { conditions: CONDITIONS },
    build: {
      write: false,
      target: 'es2023',
      minify: true,
      lib: { entry, formats: ['es'], fileName: 'entry' },
      rolldownOptions: { external: [...outside], output: { minify: true } },
    },
  })
  return outputs(built)
}

/** The page, its scripts with everything they import at once, and its stylesheets. Fonts come later and are not counted. */
async function weighApp(): Promise<number> {
  const root = fileURLToPath(new URL('../apps/web', import.meta.url))
  const files = outputs(await build({ root, logLevel: 'error', build: { write: false } }))
  const byName = new Map(files.map(file => [file.fileName, file]))
  const page = byName.get('index.html')
  const html = page?.type === 'asset' ? String(page.source) : ''
  const first = new Set<string>()
  const add = (name: string): void => {
    const file = byName.get(name)
    if (!file || first.has(name)) return
    first.add(name)
    if (file.type === 'chunk') file.imports.forEach(add)
  }
  for (const [, name = ''] of html.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)) add(name)
  if (first.size < 2) throw new Error('The page of the web app names neither a script nor a stylesheet.')
  const text = (name: string): string => {
    const file = byName.get(name)
    if (file?.type === 'chunk') return file.code
    return String(file?.source ?? '')
  }
  return [...first].reduce((sum, name) => sum + gzipped(text(name)), gzipped(html))
}

function outputs(built: Awaited<ReturnType<typeof build>>): readonly Output[] {
  if (Array.isArray(built)) return built.flatMap(one => one.output)
  if ('output' in built) return built.output
  throw new Error('The bundler is watching instead of building.')
}

const gzipped = (text: string): number => gzipSync(text, { level: 9 }).length

/** One line per bundle, and whether all of them keep within their budgets. */
export function report(weights: readonly Weight[]): {
  readonly lines: readonly string[]
  readonly ok: boolean
} {
  const lines = weights.map(weight => {
    const size = (weight.bytes / 1000).toFixed(2).padStart(7)
    return `${isOver(weight) ? 'OVER' : 'ok  '} ${size} kB of ${weight.limit} kB  ${weight.name}`
  })
  return { lines, ok: weights.length > 0 && !weights.some(isOver) }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { lines, ok } = report(await weighBundles())
  for (const line of lines) console.log(line)
  if (!ok) process.exitCode = 1
}

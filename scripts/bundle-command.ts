/**
 * The command as shipped: our packages and their dependencies in a few minified files, so that a start reads and
 * links a few dozen modules instead of more than a thousand. Modules behind an `import()` are in separate files
 * and read on demand.
 */
import { join } from 'node:path'
import { build, defaultServerConditions, type Plugin, type Rolldown } from 'vite'
import { OUTSIDE } from './published-manifest.ts'
import { ROOT } from './root.ts'

/** The command and its threads; threads are found by these names, beside the file that starts them. */
const ENTRIES = {
  main: 'packages/cli/src/main.ts',
  testing: 'packages/cli/src/testing.ts',
  index: 'packages/cli/src/index.ts',
  fastify: 'packages/cli/src/fastify.ts',
  next: 'packages/cli/src/next.ts',
  'writer-thread': 'packages/store/src/sqlite/writer-thread.ts',
  'statement-thread': 'packages/store/src/sqlite/statement-thread.ts',
  'offload-thread': 'packages/tools/src/offload/offload-thread.ts',
}
/** The command, the server for users' tests, and the library, which share their files. */
const PRODUCT = ['main', 'testing', 'index', 'fastify', 'next'] as const
const THREADS = ['writer-thread', 'statement-thread', 'offload-thread'] as const

/**
 * Our modules only define, except where a program begins: so what is needed later alone is loaded later alone. Others
 * say for themselves.
 */
const doesSomething = (id: string): boolean | undefined =>
  /\/packages\/[^/]+\/src\//.test(id)
    ? /\/(main|writer-thread|statement-thread|offload-thread)\.ts$/.test(id)
    : undefined

/**
 * Writes into the folder and leaves there what it does not write. Returns the files that were read, absolute.
 * Throws when something does not build.
 */
export async function bundleCommand(folder: string): Promise<readonly string[]> {
  const read = new Set<string>()
  // Once to learn what a start loads, and again with all of that in one file.
  const chunks = await bundle(PRODUCT, { folder: undefined, read, codeSplitting: true })
  const atStart = modulesOf(chunks, '/command-line.ts')
  // Programs load these alone until they open the product; the command loads them as well.
  const inLibrary = modulesOf(chunks, '/cli/src/index.ts')
  const groups = [
    { name: 'library', priority: 1, test: (id: string) => inLibrary.has(id) },
    { name: 'start', test: (id: string) => atStart.has(id) },
  ]
  await bundle(PRODUCT, { folder, read, codeSplitting: { groups } })
  // Threads are built apart: in a file that they shared they would read what the command needs as well. Large parts that
  // both load on demand come out as the same file.
  for (const thread of THREADS) await bundle([thread], { folder, read, codeSplitting: true })
  return [...read]
}

interface Bundling {
  /** Nothing is written when absent. */
  readonly folder: string | undefined
  /** Gets the files that were read. */
  readonly read: Set<string>
  readonly codeSplitting: NonNullable<Rolldown.OutputOptions['codeSplitting']>
}

async function bundle(
  entries: readonly (keyof typeof ENTRIES)[],
  { folder, read, codeSplitting }: Bundling,
): Promise<readonly Rolldown.OutputChunk[]> {
  const built = await build({
    root: ROOT,
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    ssr: {
      noExternal: true,
      external: [...OUTSIDE],
      resolve: { conditions: ['toolwire-source', ...defaultServerConditions] },
    },
    plugins: [filesRead(read)],
    build: {
      ssr: true,
      ...(folder === undefined ? { write: false } : { outDir: folder }),
      emptyOutDir: false,
      target: 'node24',
      minify: folder !== undefined,
      rolldownOptions: {
        input: Object.fromEntries(entries.map(entry => [entry, join(ROOT, ENTRIES[entry])])),
        treeshake: { moduleSideEffects: doesSomething },
        output: {
          format: 'esm',
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          codeSplitting,
        },
      },
    },
  })
  if (!('output' in built)) throw new Error('The bundler made more or less than one bundle.')
  return built.output.filter(one => one.type === 'chunk')
}

/** The modules that a file and its static imports load. Throws if no chunk begins with it. */
function modulesOf(chunks: readonly Rolldown.OutputChunk[], file: string): ReadonlySet<string> {
  const byName = new Map(chunks.map(chunk => [chunk.fileName, chunk]))
  const first = chunks.find(chunk => chunk.facadeModuleId?.endsWith(file))
  if (!first) throw new Error(`The bundle has no chunk for ${file}.`)
  const reached = new Set([first])
  for (const chunk of reached)
    for (const name of chunk.imports) {
      const imported = byName.get(name)
      if (imported) reached.add(imported)
    }
  return new Set([...reached].flatMap(chunk => chunk.moduleIds))
}

const filesRead = (read: Set<string>): Plugin => ({
  name: 'files-read',
  buildEnd() {
    for (const id of this.getModuleIds()) if (id.startsWith('/')) read.add(id.replace(/\?.*$/, ''))
  },
})

/** LS: a directory as a tree, breadth first, so that everything at the top shows before anything deep. */
import type { Dirent } from 'node:fs'
import { readlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tool, ToolContext, ToolStep } from '@toolwire/core'
import { createYield } from '@toolwire/core'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { didYouMean, inspectPath } from '../files/inspect-path.ts'
import { readSubject } from '../files/path-subject.ts'
import { globMatcher } from '../globs/glob-matcher.ts'
import { listDirectory } from '../safe-files/held-directory.ts'
import { type IgnoreRules, isIgnored, outerRules, rulesIn } from '../search/ignore-rules.ts'
import { SEARCH_TIMEOUT_MS } from '../search/ripgrep.ts'
import { withheldNote } from '../search/withheld-note.ts'

const MAX_ENTRIES = 1_000
const MAX_GLOBS = 100
/** Not listed though nothing ignores them; what the project's ignore files name is not either. */
const COLLAPSED = /^(node_modules|target|dist|build|vendor|\.venv|venv)$/

const input = z.strictObject({
  path: z.string().describe('Absolute, or relative to the working directory'),
  ignore: z.array(z.string()).max(MAX_GLOBS).optional().describe('Globs of entries to leave out'),
})
type LsInput = z.output<typeof input>

const MANY = `There are more than ${MAX_ENTRIES} files in the directory. Use more specific paths to explore nested directories. The first ${MAX_ENTRIES} files and directories are included above.`
const LATE = `(The list was ended after ${SEARCH_TIMEOUT_MS} ms; there may be more.)`

export function createLsTool(): Tool<LsInput> {
  return defineTool({
    name: 'LS',
    type: 'builtin',
    description: `Lists a directory as a tree, ${MAX_ENTRIES} entries, the top levels first. Leaves out names that begin with a dot; ignored and build folders are only counted. Prefer Glob and Grep when you know what you look for.`,
    input,
    limits: [{ name: 'entries', value: String(MAX_ENTRIES) }],
    isReadOnly: () => true,
    subject: ({ path }, context) => readSubject(path, context),
    access: async ({ path }, context) => [
      { key: `tree:${(await inspectPath(path, context)).path}`, mode: 'read' },
    ],
    async validate({ path }, context) {
      const found = await inspectPath(path, context)
      if (found.type === 'directory') return undefined
      if (found.type === 'file')
        return { code: 'not_a_directory', message: `${found.path} is a file. Use Read to see it.` }
      if (found.type === 'problem') return found.problem
      return {
        code: 'not_found',
        message: `Directory does not exist: ${found.path}.${await didYouMean(found.path, context)}`,
      }
    },
    call: list,
    view: ({ path }) => ({ title: path, kind: 'list', body: { path } }),
  })
}

interface DirectoryEntry {
  readonly name: string
  readonly kind: 'directory' | 'file' | 'link'
  readonly note?: string
  readonly children: DirectoryEntry[]
}

async function* list({ path, ignore = [] }: LsInput, context: ToolContext): AsyncIterable<ToolStep> {
  const found = await inspectPath(path, context)
  if (found.type === 'problem') return yield { type: 'failure', ...found.problem }
  const root = found.path
  const unwanted = ignore.map(glob => globMatcher(glob))
  const ignored = (name: string): boolean =>
    context.hidden?.includes(name) || context.withheld?.has(name) || unwanted.some(fits => fits(name))
  const top: DirectoryEntry = { name: root, kind: 'directory', children: [] }
  const limit = AbortSignal.timeout(SEARCH_TIMEOUT_MS)
  const signal = AbortSignal.any([context.signal, limit])
  const { count, complete } = await fill(top, { root, ignored, signal })
  const lines = [`- ${root.endsWith('/') ? root : `${root}/`}`, ...render(top, 1)]
  const notice = complete ? [] : [limit.aborted ? LATE : MANY]
  yield {
    type: 'result',
    output_text: [...lines, ...notice, ...withheldNote(context, root)].join('\n'),
    structured: { path: root, entries: count, truncated: !complete, tree: lines.join('\n') },
  }
}

type Queue = {
  readonly entry: DirectoryEntry
  readonly path: string
  readonly rules: readonly IgnoreRules[]
}[]

interface TreeRequest {
  readonly root: string
  readonly ignored: (name: string) => boolean
  readonly signal: AbortSignal
}

async function fill(
  top: DirectoryEntry,
  request: TreeRequest,
): Promise<{ readonly count: number; readonly complete: boolean }> {
  const { root, signal } = request
  const queue: Queue = [{ entry: top, path: root, rules: await outerRules(root) }]
  let count = 0
  for (let next = queue.shift(); next; next = queue.shift()) {
    const rules = [...next.rules, ...(await rulesIn(next.path))]
    const found = await children(next.path, rules, request)
    if (signal.aborted) return { count, complete: false }
    for (const child of found) {
      if (count >= MAX_ENTRIES) return { count, complete: false }
      count++
      next.entry.children.push(child)
      if (child.kind === 'directory' && child.note === undefined)
        queue.push({ entry: child, path: join(next.path, child.name), rules })
    }
  }
  return { count, complete: true }
}

/** One more than is shown at most, so that it is known that there are more. */
async function children(
  path: string,
  rules: readonly IgnoreRules[],
  { ignored, signal }: TreeRequest,
): Promise<readonly DirectoryEntry[]> {
  const found = await listDirectory(path).catch((error: NodeJS.ErrnoException) => error)
  if (!Array.isArray(found)) return [{ name: '(permission denied)', kind: 'file', children: [] }]
  const sorted = found
    .filter(one => !one.name.startsWith('.') && one.name !== '__pycache__')
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const entries: DirectoryEntry[] = []
  const yieldOften = createYield()
  for (const one of sorted) {
    if (entries.length > MAX_ENTRIES || signal.aborted) break
    if (!ignored(one.name) && !ignored(join(path, one.name))) entries.push(await toEntry(one, path, rules))
    await yieldOften()
  }
  return entries
}

async function toEntry(one: Dirent, path: string, rules: readonly IgnoreRules[]): Promise<DirectoryEntry> {
  const base = { name: one.name, children: [] }
  if (one.isSymbolicLink()) {
    const target = await readlink(join(path, one.name)).catch(() => '?')
    return { ...base, kind: 'link', note: `-> ${target}` }
  }
  if (!one.isDirectory()) return { ...base, kind: 'file' }
  if (!COLLAPSED.test(one.name) && !isIgnored(join(path, one.name), true, rules))
    return { ...base, kind: 'directory' }
  const inside = await listDirectory(join(path, one.name)).catch(() => [])
  return { ...base, kind: 'directory', note: `(${inside.length} entries, not listed)` }
}

function render({ children: inside }: DirectoryEntry, depth: number): readonly string[] {
  return inside.flatMap(entry => {
    const name = entry.kind === 'directory' ? `${entry.name}/` : entry.name
    const note = entry.note === undefined ? '' : ` ${entry.note}`
    return [`${'  '.repeat(depth)}- ${name}${note}`, ...render(entry, depth + 1)]
  })
}

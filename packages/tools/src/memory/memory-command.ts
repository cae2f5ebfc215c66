/**
 * The commands of Anthropic's memory tool (view, create, str_replace, insert, delete, rename)
 * on the same files that MemoryRead and MemoryWrite use. Paths begin with /memories.
 */
import type { ToolProblem } from '@toolwire/core'
import { z } from 'zod'
import type { MemoryOwner, MemoryPlace, MemoryStore, Outcome } from './memory-store.ts'
import { MEMORY_LIMITS } from './memory-store.ts'

const path = z.string().regex(/^\/memories(\/|$)/, 'must begin with /memories')
const text = z.string().max(MEMORY_LIMITS.file_bytes)

/** One flat object, as sent to models; `commandProblem` checks the fields that a command needs. */
export const MemoryCommand = z.strictObject({
  command: z.enum(['view', 'create', 'str_replace', 'insert', 'delete', 'rename']).describe('What to do'),
  path: path.optional().describe('The file or folder; for all commands but rename'),
  view_range: z.array(z.number().int()).length(2).optional().describe('First and last line; -1 for the end'),
  file_text: text.optional().describe('The whole content, for create'),
  old_str: text.optional().describe('The text to replace; it must occur once'),
  new_str: text.optional().describe('The new text; nothing by default'),
  insert_line: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('The line after which the text goes; 0 for the start'),
  insert_text: text.optional().describe('The text to insert'),
  old_path: path.optional().describe('The file or folder to rename'),
  new_path: path.optional().describe('Its new path'),
})
export type MemoryCommand = z.output<typeof MemoryCommand>

const NEEDED: Readonly<Record<MemoryCommand['command'], readonly (keyof MemoryCommand)[]>> = {
  view: ['path'],
  create: ['path', 'file_text'],
  str_replace: ['path', 'old_str'],
  insert: ['path', 'insert_line', 'insert_text'],
  delete: ['path'],
  rename: ['old_path', 'new_path'],
}

/** A sentence when a field that the command needs is missing. Pure. */
export function commandProblem(given: MemoryCommand): string | undefined {
  const missing = NEEDED[given.command].filter(name => given[name] === undefined)
  return missing.length === 0 ? undefined : `${given.command} needs ${missing.join(' and ')}.`
}

type MemoryResult = Outcome<{ readonly text: string }>

const no = (code: string, message: string) => ({ ok: false, problem: { code, message } }) as const
const done = (problem: ToolProblem | undefined, said: string): MemoryResult =>
  problem ? { ok: false, problem } : { ok: true, text: said }

/** `given` has passed `commandProblem`. Never throws for anything a path or a file is. */
export async function runMemoryCommand(
  store: MemoryStore,
  owner: MemoryOwner,
  given: MemoryCommand,
): Promise<MemoryResult> {
  const name = bare(given.path ?? given.old_path ?? '')
  if (name === '') {
    if (given.command === 'view') return await viewFolder(store, owner, '')
    return no('bad_path', 'The memory folder itself cannot be changed.')
  }
  const located = await store.locate(name, owner)
  if (!located.ok) return located
  const { place } = located
  switch (given.command) {
    case 'view':
      return await view(store, owner, place, given.view_range)
    case 'create':
      return done(await store.write(place, given.file_text ?? ''), `File created: ${shown(place)}`)
    case 'str_replace':
    case 'insert':
      return await change(store, place, given)
    case 'delete':
      return await removeAll(store, owner, place)
    case 'rename':
      return await move(store, owner, place, bare(given.new_path ?? ''))
  }
}

const bare = (given: string): string => given.replace(/^\/memories\/?/, '').replace(/\/$/, '')
const shown = ({ name }: MemoryPlace): string => `/memories/${name}`

async function view(
  store: MemoryStore,
  owner: MemoryOwner,
  place: MemoryPlace,
  range: readonly number[] | undefined,
): Promise<MemoryResult> {
  const read = await store.read(place)
  if (!read.ok) {
    const folder = await viewFolder(store, owner, `${place.name}/`)
    return folder.ok ? folder : read
  }
  const lines = read.text.split('\n')
  const [first = 1, last = -1] = range ?? []
  const end = last === -1 ? lines.length : last
  if (first < 1 || end < first) return no('precondition', `view_range ${first} to ${last} holds no lines.`)
  const numbered = lines.slice(first - 1, end).map((line, i) => `${String(first + i).padStart(6)}\t${line}`)
  return { ok: true, text: numbered.join('\n') }
}

async function viewFolder(store: MemoryStore, owner: MemoryOwner, prefix: string): Promise<MemoryResult> {
  const files = (await store.list(owner)).filter(file => file.name.startsWith(prefix))
  if (files.length === 0 && prefix !== '') return no('not_found', 'Memory file does not exist')
  const list = files.map(({ name, bytes }) => `- /memories/${name} (${bytes} bytes)`)
  return { ok: true, text: [`Directory: /memories/${prefix}`, ...list].join('\n') }
}

async function change(store: MemoryStore, place: MemoryPlace, given: MemoryCommand): Promise<MemoryResult> {
  const read = await store.read(place)
  if (!read.ok) return read
  const changed = given.command === 'insert' ? inserted(read.text, given) : replaced(read.text, given)
  if (!changed.ok) return changed
  return done(
    await store.write(place, changed.text, { expect: read.sha256 }),
    `The file ${shown(place)} has been edited.`,
  )
}

function replaced(before: string, { old_str = '', new_str = '' }: MemoryCommand): MemoryResult {
  const count = old_str === '' ? 0 : before.split(old_str).length - 1
  if (count === 1) return { ok: true, text: before.split(old_str).join(new_str) }
  if (count === 0) return no('precondition', 'old_str does not occur in the file.')
  return no('precondition', `old_str occurs ${count} times; it must occur exactly once.`)
}

function inserted(before: string, { insert_line = 0, insert_text = '' }: MemoryCommand): MemoryResult {
  const lines = before === '' ? [] : before.replace(/\n$/, '').split('\n')
  if (insert_line > lines.length)
    return no(
      'precondition',
      `insert_line ${insert_line} is beyond the end: there are ${lines.length} lines.`,
    )
  const added = insert_text.replace(/\n$/, '')
  return { ok: true, text: `${lines.toSpliced(insert_line, 0, added).join('\n')}\n` }
}

async function removeAll(store: MemoryStore, owner: MemoryOwner, place: MemoryPlace): Promise<MemoryResult> {
  const below = (await store.list(owner)).filter(
    ({ name }) => name === place.name || name.startsWith(`${place.name}/`),
  )
  if (below.length === 0) return no('not_found', 'Memory file does not exist')
  for (const { name } of below) {
    const located = await store.locate(name, owner)
    const problem = located.ok ? await store.remove(located.place) : located.problem
    if (problem) return { ok: false, problem }
  }
  return { ok: true, text: `Deleted ${shown(place)}` }
}

async function move(
  store: MemoryStore,
  owner: MemoryOwner,
  from: MemoryPlace,
  name: string,
): Promise<MemoryResult> {
  const to = await store.locate(name, owner)
  if (!to.ok) return to
  const read = await store.read(from)
  if (!read.ok) return read
  if ((await store.read(to.place)).ok) return no('exists', `${shown(to.place)} exists already.`)
  const written = await store.write(to.place, read.text)
  return done(written ?? (await store.remove(from)), `Renamed ${shown(from)} to ${shown(to.place)}`)
}

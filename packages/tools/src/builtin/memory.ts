/** MemoryRead and MemoryWrite: notes that the model keeps for later sessions. Offered only when a folder is configured. */
import type { Tool, ToolContext, ToolSetting, ToolStep } from '@toolwire/core'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { keepBlob } from '../files/blobs.ts'
import { CHANGE_NOTE, type ChangeNote, recoverChange } from '../files/change-file.ts'
import {
  createMemoryStore,
  MEMORY_LIMITS,
  type MemoryOwner,
  type MemoryPlace,
  type MemoryStore,
  type TenantOf,
} from '../memory/memory-store.ts'
import { COMMAND_TOOL, createMemoryCommandTool, usesCommands } from './memory-command.ts'

export interface MemoryOptions {
  /** The folder of the notes; created on first use. */
  readonly folder: string
  /** Whose session it is, where several people share the server: their notes are kept apart. */
  readonly tenantOf?: TenantOf | undefined
  /** Offers the tool `memory` as well, with the commands of Anthropic's memory tool. */
  readonly commands?: boolean | undefined
}

const WHERE =
  'Paths begin with user/, project/ or session/ for what holds everywhere, in this workspace, or in this session; without one of them they belong to the project.'

const readInput = z.strictObject({
  file_path: z.string().optional().describe('The file; the index and a list of all files when absent'),
})
const writeInput = z.strictObject({
  file_path: z.string().describe('The file, such as project/conventions.md'),
  content: z.string().max(MEMORY_LIMITS.file_bytes).describe('The whole content'),
})

const limits = [
  { name: 'file', value: `${MEMORY_LIMITS.file_bytes} bytes` },
  { name: 'scope', value: `${MEMORY_LIMITS.files} files, ${MEMORY_LIMITS.bytes} bytes` },
  { name: 'versions', value: `${MEMORY_LIMITS.versions} per file` },
]

export function createMemoryTools({ folder, tenantOf, commands = false }: MemoryOptions): readonly Tool[] {
  const store = createMemoryStore(folder, tenantOf)
  return [readTool(store), writeTool(store), ...(commands ? [createMemoryCommandTool(store)] : [])]
}

const ownerOf = ({ roots, cwd, session_id }: ToolContext): MemoryOwner => ({
  workspace: roots[0] ?? cwd,
  session_id,
})
/** The session's last known content of a file. */
const noteOf = (place: MemoryPlace): string => `memory:${place.name}`

const superseded_by = (setting: ToolSetting): string | undefined =>
  usesCommands(setting) ? COMMAND_TOOL : undefined

const readTool = (store: MemoryStore) =>
  defineTool({
    name: 'MemoryRead',
    type: 'builtin',
    superseded_by,
    description: `Reads notes kept from earlier sessions. Without file_path: index.md and the list of files; read that at the start of a task that may have a history. A note is a hint with a date: check it before you rely on it. ${WHERE}`,
    input: readInput,
    limits,
    isReadOnly: () => true,
    access: async () => [{ key: 'memory', mode: 'read' }],
    async validate({ file_path }, context) {
      if (file_path === undefined) return undefined
      const located = await store.locate(file_path, ownerOf(context))
      return located.ok ? undefined : located.problem
    },
    async *call({ file_path }, context) {
      yield file_path === undefined
        ? await overview(store, context)
        : await readOne(store, file_path, context)
    },
    view: ({ file_path }) => ({ title: file_path ?? 'index.md', kind: 'memory' }),
  })

async function readOne(store: MemoryStore, file_path: string, context: ToolContext): Promise<ToolStep> {
  const located = await store.locate(file_path, ownerOf(context))
  if (!located.ok) return { type: 'failure', ...located.problem }
  const read = await store.read(located.place)
  if (!read.ok) return { type: 'failure', ...read.problem }
  context.notes.set(noteOf(located.place), read.sha256)
  const { name } = located.place
  const text = read.text === '' ? `[${name} is empty]` : read.text
  return {
    type: 'result',
    output_text: text,
    structured: { file_path: name, bytes: Buffer.byteLength(read.text) },
  }
}

async function overview(store: MemoryStore, context: ToolContext): Promise<ToolStep> {
  const owner = ownerOf(context)
  const files = await store.list(owner)
  const indexes: string[] = []
  for (const file of files.filter(({ name }) => /^[a-z]+\/index\.md$/.test(name))) {
    const step = await readOne(store, file.name, context)
    if (step.type === 'result') indexes.push(`# ${file.name}\n${step.output_text.trimEnd()}`)
  }
  const list = files.map(({ name, bytes }) => `- ${name} (${bytes} bytes)`)
  const text = files.length === 0 ? 'There are no memory files yet.' : `Files:\n${list.join('\n')}`
  return { type: 'result', output_text: [...indexes, text].join('\n\n'), structured: { files } }
}

const writeTool = (store: MemoryStore) =>
  defineTool({
    name: 'MemoryWrite',
    type: 'builtin',
    superseded_by,
    description: `Keeps a note for later sessions, replacing the whole file, which must have been read. Write lasting facts with their source, one note per fact; no secrets and nothing about today's task alone. Keep project/index.md as a short table of contents. ${WHERE}`,
    input: writeInput,
    limits,
    isReadOnly: () => false,
    access: async () => [{ key: 'memory', mode: 'write' }],
    async validate({ file_path }, context) {
      const located = await store.locate(file_path, ownerOf(context))
      return located.ok ? undefined : located.problem
    },
    async *call({ file_path, content }, context) {
      yield await writeOne(store, { file_path, content }, context)
    },
    recover: (_, context) => recoverChange(context, () => 'Saved'),
    view: ({ file_path, content }) => ({ title: file_path, kind: 'memory', body: { content } }),
    async preview({ file_path, content }, context) {
      const located = await store.locate(file_path, ownerOf(context))
      const old = located.ok ? await store.read(located.place) : located
      return { file_path, before: old.ok ? old.text : null, after: content }
    },
  })

async function writeOne(
  store: MemoryStore,
  { file_path, content }: z.output<typeof writeInput>,
  context: ToolContext,
): Promise<ToolStep> {
  const located = await store.locate(file_path, ownerOf(context))
  if (!located.ok) return { type: 'failure', ...located.problem }
  const { place } = located
  const known = context.notes.get(noteOf(place))
  const old = await store.read(place)
  if (old.ok) await keepBlob(context, Buffer.from(old.text))
  let written = ''
  const problem = await store.write(place, content, {
    expect: typeof known === 'string' ? known : undefined,
    async beforeCommit(before, after) {
      written = after
      const note: ChangeNote = { path: place.full, before, after }
      await context.notes.save(CHANGE_NOTE + context.call_id, note)
    },
  })
  if (problem) return { type: 'failure', ...problem }
  context.notes.set(noteOf(place), written)
  return {
    type: 'result',
    output_text: 'Saved',
    structured: { file_path: place.name, bytes: Buffer.byteLength(content), created: !old.ok },
  }
}

/** Write: a whole file. An existing one must have been read, keeps its charset and line ends, and is replaced as one step. */
import type { Tool, ToolContext, ToolProblem, ToolStep } from '@toolwire/core'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { placeOf } from '../files/approved-path.ts'
import { changeFile, recoverChange } from '../files/change-file.ts'
import { checkWritable } from '../files/check-writable.ts'
import { type Diagnostics, withDiagnostics } from '../files/diagnostics.ts'
import { preferredCharset } from '../files/editorconfig.ts'
import { inspectPath, type PathInfo } from '../files/inspect-path.ts'
import { readKnown } from '../files/ledger.ts'
import { newFileStyle } from '../files/new-file-style.ts'
import { writeSubject } from '../files/path-subject.ts'
import { offload } from '../offload/offload.ts'
import { readWhole } from '../safe-files/open-file.ts'

const MAX_CHARS = 10 * 1024 * 1024

const input = z.strictObject({
  file_path: z.string().describe('Absolute, or relative to the working directory'),
  content: z.string().max(MAX_CHARS).describe('The whole content of the file'),
})
type WriteInput = z.output<typeof input>

/** `diagnostics` is asked about every file after it was written. */
export function createWriteTool(
  options: { readonly diagnostics?: Diagnostics | undefined } = {},
): Tool<WriteInput> {
  return defineTool({
    name: 'Write',
    type: 'builtin',
    description:
      'Writes a whole file and makes its directories. For new files and complete rewrites; use Edit for changes. An existing file must have been read first, and keeps its charset and line ends. Beyond 30,000 characters write the first part and add the rest with Edit, because a message that ends too early is lost. Make documentation files only when asked to.',
    input,
    limits: [{ name: 'content', value: `${MAX_CHARS} characters` }],
    isReadOnly: () => false,
    subject: ({ file_path }, context) => writeSubject(file_path, context),
    access: async ({ file_path }, context) => [
      { key: `file:${(await inspectPath(file_path, context)).path}`, mode: 'write' },
    ],
    validate: async ({ file_path }, context) =>
      await problemOf(await inspectPath(file_path, context), context),
    call: (call, context) => write(call, context, options.diagnostics),
    recover: (_, context) => recoverChange(context, path => `The file ${path} has been updated.`),
    view: ({ file_path, content }) => ({
      title: file_path,
      kind: 'write',
      body: { path: file_path, content },
    }),
    preview: async ({ file_path, content }, context) => {
      const found = await inspectPath(file_path, context)
      const preferred = await preferredCharset(found.path)
      const before = found.type === 'file' ? await readKnown(context, found.path) : undefined
      if (found.type === 'file' && !before) return undefined
      const change = await offload('describeFiles', [found.path, before, content, preferred])
      return { ...change, place: await placeOf(found.path) }
    },
  })
}

async function problemOf(found: PathInfo, context: ToolContext): Promise<ToolProblem | undefined> {
  switch (found.type) {
    case 'missing':
      return undefined
    case 'problem':
      return found.problem
    case 'directory':
      return {
        code: 'is_directory',
        message: `${found.path} is a directory; a file cannot be written there.`,
      }
    case 'file': {
      const writable = await checkWritable(found, context)
      return writable.ok ? undefined : writable.problem
    }
  }
}

async function* write(
  { file_path, content }: WriteInput,
  context: ToolContext,
  diagnostics: Diagnostics | undefined,
): AsyncIterable<ToolStep> {
  const found = await inspectPath(file_path, context)
  if (found.type === 'problem') return yield { type: 'failure', ...found.problem }
  const old = found.type === 'file' ? await readWhole(found.path) : undefined
  const preferred = await preferredCharset(found.path)
  const plan = await offload('planWrite', [
    old,
    { path: found.path, content, preferred, style: old ? undefined : await newFileStyle(found.path) },
  ])
  const { style, after, change } = plan
  if (!after) {
    yield {
      type: 'failure',
      code: 'not_encodable',
      message: `${found.path} is in ${style.charset}, which has no form for some characters of the content. Nothing was written.`,
    }
    return
  }
  if (plan.isSame || !change) {
    yield {
      type: 'result',
      output_text: `The file ${found.path} already has exactly this content; nothing was written.`,
      structured: { path: found.path, type: 'unchanged' },
    }
    return
  }
  const problem = await changeFile({ path: found.path, before: old, after, seen: 'all', ...style }, context)
  if (problem) {
    yield { type: 'failure', ...problem }
    return
  }
  const step: ToolStep = {
    type: 'result',
    output_text: old
      ? `The file ${found.path} has been updated.`
      : `File created successfully at: ${found.path}`,
    structured: { type: old ? 'update' : 'create', ...change, userModified: context.edited },
    view: { title: found.path, kind: 'diff', body: { path: found.path, patch: change.gitDiff } },
  }
  yield await withDiagnostics(step, diagnostics, found.path, context)
}

/** The file of a notebook, before it is opened. */
import type { ToolContext, ToolProblem } from '@toolwire/core'
import { didYouMean, inspectPath } from '../files/inspect-path.ts'
import { WHOLE_FILE } from '../safe-files/open-file.ts'

const no = (code: string, message: string): FoundNotebook => ({ ok: false, problem: { code, message } })

export type FoundNotebook =
  | { readonly ok: true; readonly path: string; readonly size: number; readonly mtime: number }
  | { readonly ok: false; readonly problem: ToolProblem }

/**
 * Facts of a notebook without opening it. Checks before a question must reveal no more: reading its content is not
 * allowed yet.
 */
export async function findNotebook(given: string, context: ToolContext): Promise<FoundNotebook> {
  const found = await inspectPath(given, context)
  if (found.type === 'problem') return { ok: false, problem: found.problem }
  if (found.type === 'directory')
    return no('is_directory', `${found.path} is a directory. Use LS to list it.`)
  if (found.type === 'missing')
    return no('not_found', `File does not exist: ${found.path}.${await didYouMean(found.path, context)}`)
  if (!found.path.endsWith('.ipynb'))
    return no('not_a_notebook', `${found.path} is not a Jupyter notebook (.ipynb). Use Read or Edit for it.`)
  if (found.size > WHOLE_FILE)
    return no('too_large', `${found.path} has ${found.size} bytes; notebooks may have at most ${WHOLE_FILE}.`)
  return { ok: true, path: found.path, size: found.size, mtime: found.mtime }
}

/** A problem of the notebook as a whole names the file. */
export const inFile = (problem: ToolProblem, path: string): ToolProblem =>
  problem.code === 'bad_notebook' ? { ...problem, message: `${path}: ${problem.message}` } : problem

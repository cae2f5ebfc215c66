/** What became of a file between two readings of it, in lines for the model: its text, and the form no line shows. Pure. */
import { formatPatch } from 'diff'
import { linePatch } from './line-patch.ts'
import { readText, type TextFile } from './text-file.ts'

/** No lines when nothing changed that can be told. `preferred` is the charset that the project names. */
export function whatChanged(
  before: Uint8Array,
  now: Uint8Array,
  preferred: string | undefined,
): readonly string[] {
  const [was, is] = [readText(before, preferred), readText(now, preferred)]
  if (was.view === is.view) return formChanges(was, is)
  const texts = { before: was.view, after: is.view, oldName: 'before', newName: 'now', context: 1 }
  const patch = formatPatch(linePatch(texts))
  return [...formChanges(was, is), ...patch.trimEnd().split('\n').slice(1)]
}

function formChanges(was: TextFile, is: TextFile): readonly string[] {
  const changes = [
    ['charset', was.charset.name, is.charset.name],
    ['byte order mark', was.charset.bom > 0 ? 'yes' : 'no', is.charset.bom > 0 ? 'yes' : 'no'],
    ['line ends', was.eol, is.eol],
  ]
  return changes.flatMap(([what, old, now]) => (old === now ? [] : [`${what}: ${old}, now ${now}`]))
}

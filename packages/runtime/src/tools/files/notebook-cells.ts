/** A Jupyter notebook as numbered cells with their outputs, for reading. */
import { stripAnsi } from '../strip-ansi.ts'

export interface NotebookCell {
  readonly id: string
  readonly type: string
  readonly language: string
  readonly source: string
  readonly outputs: readonly string[]
}

const MAX_OUTPUT = 10_000

/** A sentence when the text is no notebook of a form that is understood. */
export function readCells(text: string): readonly NotebookCell[] | string {
  let notebook: Fields
  try {
    notebook = JSON.parse(text) as Fields
  } catch {
    return 'The notebook is not valid JSON.'
  }
  if (typeof notebook !== 'object' || notebook === null || !Array.isArray(notebook['cells']))
    return Number(notebook?.['nbformat']) < 4
      ? 'Notebooks before nbformat 4 are not understood.'
      : 'The notebook has no cells.'
  const language = String(fields(fields(notebook['metadata'])['language_info'])['name'] ?? 'python')
  return notebook['cells'].map((cell, i) => toCell(fields(cell), i, language))
}

/** As the model reads them. */
export function showCells(cells: readonly NotebookCell[]): string {
  return cells
    .map(({ id, type, language, source, outputs }) => {
      const lang = type === 'code' ? ` lang="${language}"` : ''
      const out = outputs.map(one => `\n<output>\n${one}\n</output>`).join('')
      return `<cell id="${id}" type="${type}"${lang}>\n${source}\n</cell>${out}`
    })
    .join('\n')
}

type Fields = Readonly<Record<string, unknown>>
const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}
const joined = (value: unknown): string =>
  Array.isArray(value) ? value.map(String).join('') : typeof value === 'string' ? value : ''

function toCell(cell: Fields, index: number, language: string): NotebookCell {
  const outputs = Array.isArray(cell['outputs']) ? cell['outputs'] : []
  return {
    id: typeof cell['id'] === 'string' ? cell['id'] : `cell-${index}`,
    type: String(cell['cell_type'] ?? 'raw'),
    language,
    source: joined(cell['source']),
    outputs: outputs.map(one => toOutput(fields(one))).filter(one => one !== ''),
  }
}

function toOutput(output: Fields): string {
  const text = stripAnsi(rawOutput(output))
  return text.length > MAX_OUTPUT
    ? `${text.slice(0, MAX_OUTPUT)}… [${text.length - MAX_OUTPUT} more characters]`
    : text
}

function rawOutput(output: Fields): string {
  const data = fields(output['data'])
  switch (output['output_type']) {
    case 'stream':
      return joined(output['text'])
    case 'error':
      return joined(output['traceback']) || `${String(output['ename'])}: ${String(output['evalue'])}`
    default:
      if (data['text/plain'] !== undefined) return joined(data['text/plain'])
      return Object.keys(data).length > 0 ? `[${Object.keys(data).join(', ')}]` : ''
  }
}

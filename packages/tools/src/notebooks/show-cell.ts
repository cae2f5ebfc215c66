/** Cells as text for the model, with their images beside it. */
import type { ContentPart } from '@toolwire/core'
import { cutMiddle } from '@toolwire/core'
import { htmlToMarkdown } from '../html/html-to-markdown.ts'
import { stripAnsi } from '../strip-ansi.ts'
import { type Cell, type Fields, isFields, joinLines } from './notebook.ts'
import { MAX_IMAGES, MAX_OUTPUT_CHARS } from './notebook-bounds.ts'

const MAX_IMAGE_CHARS = 5 * 1024 * 1024
const MAX_IMAGES_CHARS = 16 * 1024 * 1024
const MAX_HTML_CHARS = 500_000

export interface CellText {
  readonly text: string
  readonly images: readonly ContentPart[]
}

/** The remaining image budget of one result; shared by its cells. */
export interface ImageBudget {
  count: number
  chars: number
}

export const imageBudget = (): ImageBudget => ({ count: MAX_IMAGES, chars: MAX_IMAGES_CHARS })

export function showCell(cell: Cell, language: string, budget: ImageBudget): CellText {
  const images: ContentPart[] = []
  const lang = cell.type === 'code' ? ` lang="${attribute(language)}"` : ''
  const head = `<cell id="${attribute(cell.id)}" type="${attribute(cell.type)}"${lang}>`
  const outputs = Array.isArray(cell.fields['outputs']) ? cell.fields['outputs'] : []
  const shown = outputs.filter(isFields).map(output => showOutput(output, budget, images))
  return { text: [head, cell.source, '</cell>', ...shown].join('\n'), images }
}

function showOutput(output: Fields, budget: ImageBudget, images: ContentPart[]): string {
  const type = typeof output['output_type'] === 'string' ? output['output_type'] : 'unknown'
  const name = typeof output['name'] === 'string' ? ` name="${attribute(output['name'])}"` : ''
  const text = cutMiddle(outputText(output, type, budget, images).trimEnd(), MAX_OUTPUT_CHARS)
  return `<output type="${attribute(type)}"${name}>\n${text}\n</output>`
}

function outputText(output: Fields, type: string, budget: ImageBudget, images: ContentPart[]): string {
  switch (type) {
    case 'stream':
      return stripAnsi(joinLines(output['text']))
    case 'error': {
      const trace = Array.isArray(output['traceback']) ? output['traceback'].map(joinLines).join('\n') : ''
      return stripAnsi(trace) || `${joinLines(output['ename'])}: ${joinLines(output['evalue'])}`
    }
    case 'execute_result':
    case 'display_data':
      return dataText(isFields(output['data']) ? output['data'] : {}, budget, images)
    default:
      return '[an output of an unknown kind]'
  }
}

/** One form of the data for the model: the image, and the plainest text. */
function dataText(data: Fields, budget: ImageBudget, images: ContentPart[]): string {
  const picture = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'].find(
    type => data[type] !== undefined,
  )
  const note = picture === undefined ? [] : [takeImage(picture, joinLines(data[picture]), budget, images)]
  const text = plainest(data)
  if (text !== undefined) return [...note, text].join('\n')
  if (note.length > 0) return note.join('\n')
  const kinds = Object.keys(data)
  return kinds.length === 0 ? '[no data]' : `[${kinds.join(', ')}: not shown]`
}

function plainest(data: Fields): string | undefined {
  for (const type of ['text/plain', 'text/markdown', 'text/latex'])
    if (data[type] !== undefined) return stripAnsi(joinLines(data[type]))
  if (data['text/html'] !== undefined) return htmlText(joinLines(data['text/html']))
  if (data['application/json'] !== undefined) return JSON.stringify(data['application/json'], null, 1)
  return data['image/svg+xml'] === undefined ? undefined : '[image/svg+xml: not shown]'
}

const htmlText = (html: string): string =>
  html.length > MAX_HTML_CHARS ? `[text/html of ${html.length} characters: not shown]` : htmlToMarkdown(html)

function takeImage(media_type: string, given: string, budget: ImageBudget, images: ContentPart[]): string {
  const data = given.replaceAll(/\s/g, '')
  const bytes = Math.floor((data.length * 3) / 4)
  if (data === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return `[${media_type}: the data is damaged]`
  if (data.length > MAX_IMAGE_CHARS || data.length > budget.chars || budget.count === 0)
    return `[${media_type}, ${bytes} bytes: not shown]`
  budget.count--
  budget.chars -= data.length
  images.push({ type: 'image', source: { type: 'base64', media_type, data } })
  return `[${media_type}, ${bytes} bytes]`
}

const attribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** Several questions in one form: options to choose from, and room for another answer to each. Pure. */
import { field } from '../../tools/call-input.ts'
import type { ApprovalView } from '../../view.ts'
import { shortText } from '../text/display-lines.ts'

export interface QuestionBlock {
  /** The name of its answer in the object that is sent. */
  readonly name: string
  readonly header: string
  readonly text: string
  readonly options: readonly QuestionOption[]
  /** Several options may be chosen. */
  readonly many: boolean
}

interface QuestionOption {
  readonly value: string
  /** As it is shown: the ends of a text that is too long. */
  readonly label: string
  readonly description: string
}

/** One entry per chosen option, by its position; `OTHER` refers to the text. */
export interface BlockAnswer {
  readonly chosen: readonly number[]
  readonly text: string
}

export const OTHER = -1
export const NO_ANSWER: BlockAnswer = { chosen: [], text: '' }

/** Undefined for a question of another form, such as one with numbers, or one that its call continues with. */
export function questionBlocks({ schema, resumes }: ApprovalView): readonly QuestionBlock[] | undefined {
  const properties = field(schema, 'properties')
  if (resumes || typeof properties !== 'object' || properties === null) return undefined
  const blocks = Object.entries(properties).flatMap(([name, value]) => toBlock(name, value) ?? [])
  const isWhole = blocks.length > 0 && blocks.length === Object.keys(properties).length
  return isWhole ? blocks : undefined
}

function toBlock(name: string, schema: unknown): QuestionBlock | undefined {
  const ways = waysOf(schema)
  const list = ways.find(way => field(way, 'type') === 'array')
  const choices = list === undefined ? ways : waysOf(field(list, 'items'))
  if (!choices.some(isText) || !choices.every(way => isText(way) || isOption(way))) return undefined
  const title = toText(field(schema, 'title'))
  const text = toText(field(schema, 'description'))
  return {
    name,
    header: text === '' ? '' : shortText(title),
    text: shortText(text || title || name),
    options: choices.filter(isOption).map(toOption),
    many: list !== undefined,
  }
}

/** The alternatives of a schema but null. */
function waysOf(schema: unknown): readonly unknown[] {
  const ways = field(schema, 'anyOf')
  return Array.isArray(ways) ? ways.filter(way => field(way, 'type') !== 'null') : []
}

const isText = (way: unknown): boolean => field(way, 'type') === 'string' && !isOption(way)
const isOption = (way: unknown): boolean => typeof field(way, 'const') === 'string'
const toText = (value: unknown): string => (typeof value === 'string' ? value : '')

function toOption(way: unknown): QuestionOption {
  const value = toText(field(way, 'const'))
  return { value, label: shortText(value), description: shortText(toText(field(way, 'description'))) }
}

/** The answer after an option was chosen, or chosen again. */
export function chooseOption({ many }: QuestionBlock, answer: BlockAnswer, option: number): BlockAnswer {
  if (!many) return { ...answer, chosen: [option] }
  const chosen = answer.chosen.includes(option)
    ? answer.chosen.filter(one => one !== option)
    : [...answer.chosen, option]
  return { ...answer, chosen }
}

/** The value sent for one question; null while it has no answer. */
function blockValue(
  { options, many }: QuestionBlock,
  { chosen, text }: BlockAnswer,
): string | readonly string[] | null {
  const other = options.length === 0 || chosen.includes(OTHER) ? text.trim() : ''
  const labels = options.filter((_, index) => chosen.includes(index)).map(option => option.value)
  const values = other === '' ? labels : [...labels, other]
  return values.length === 0 ? null : many ? values : (values[0] ?? null)
}

/** The object to send, with null for each question without an answer. */
export const blockValues = (
  blocks: readonly QuestionBlock[],
  answers: readonly (BlockAnswer | undefined)[],
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(blocks.map((block, i) => [block.name, blockValue(block, answers[i] ?? NO_ANSWER)]))

/** The titles of the questions that have no answer yet. */
export const unanswered = (
  blocks: readonly QuestionBlock[],
  answers: readonly (BlockAnswer | undefined)[],
): readonly string[] =>
  blocks
    .filter((block, i) => blockValue(block, answers[i] ?? NO_ANSWER) === null)
    .map(block => block.header || block.text)

/** Bounds one message of a model: everything that is done with a message takes time by its size. */
import type { ModelPart } from '@toolwire/core'
import { refusal } from './budget.ts'

type ErrorPart = Extract<ModelPart, { type: 'error' }>

/** More than any model writes. Text that is no Unicode has a higher weight, because it takes longer to write as JSON. */
const MAX_CHARACTERS = 4_000_000
const NO_UNICODE_WEIGHT = 16
const MAX_BLOCKS = 1000
const MAX_CITATIONS = 2000
/** Of media and of data that only the provider reads. */
const MAX_DATA = 32_000_000

interface MessageSize {
  readonly characters: number
  readonly blocks: number
  readonly citations: number
  readonly data: number
}

/** Given every part in order, returns the failure that ends the message: the model's own, or that it is too large. */
export function createMessageLimit(): (part: ModelPart) => ErrorPart | undefined {
  let size: MessageSize = { characters: 0, blocks: 0, citations: 0, data: 0 }
  return part => {
    if (part.type === 'error') return part
    size = add(size, part)
    const { characters, blocks, citations, data } = size
    if (blocks > MAX_BLOCKS) return tooLarge(`${MAX_BLOCKS} blocks`)
    if (citations > MAX_CITATIONS) return tooLarge(`${MAX_CITATIONS} citations`)
    if (data > MAX_DATA) return tooLarge(`${MAX_DATA} characters of data`)
    return characters > MAX_CHARACTERS ? tooLarge(`${MAX_CHARACTERS} characters`) : undefined
  }
}

function add(size: MessageSize, part: ModelPart): MessageSize {
  switch (part.type) {
    case 'block-start':
      return { ...size, blocks: size.blocks + 1, data: size.data + sizeOf(part.data) }
    case 'block-delta':
      return {
        ...size,
        characters: size.characters + weightOf(part),
        citations: size.citations + (part.citation === undefined ? 0 : 1),
        data: size.data + sizeOf(part.citation),
      }
    case 'block-end':
      return { ...size, data: size.data + sizeOf(part.opaque?.data) }
    default:
      return size
  }
}

const tooLarge = (limit: string): ErrorPart => ({
  type: 'error',
  error: refusal('model_error', `The model’s message has more than ${limit}.`),
})

function weightOf({
  text = '',
  input_text = '',
  thinking = '',
  signature = '',
}: Extract<ModelPart, { type: 'block-delta' }>): number {
  return weightOfText(text) + weightOfText(input_text) + weightOfText(thinking) + weightOfText(signature)
}

const weightOfText = (text: string): number => text.length * (text.isWellFormed() ? 1 : NO_UNICODE_WEIGHT)

/** Characters of all names and texts of a value, and some for every value in it. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (value === undefined) return 0
  if (typeof value !== 'object' || value === null) return SMALL
  return Object.entries(value).reduce((sum, [name, inner]) => sum + name.length + sizeOf(inner), SMALL)
}

const SMALL = 8

/** Bounds one message of a model: everything that is done with a message takes time by its size. */
import type { ModelPart } from '@toolwire/core'
import { refusal } from './budget.ts'

type ErrorPart = Extract<ModelPart, { type: 'error' }>

/** More than any model writes. Text that is no Unicode has a higher weight, because it takes longer to write as JSON. */
const MAX_CHARACTERS = 4_000_000
const NO_UNICODE_WEIGHT = 16
const MAX_BLOCKS = 2000

/** Given every part in order, returns the failure that ends the message: the model's own, or that it is too large. */
export function createMessageLimit(): (part: ModelPart) => ErrorPart | undefined {
  let characters = 0
  let blocks = 0
  return part => {
    if (part.type === 'error') return part
    if (part.type === 'block-start') blocks += 1
    if (part.type === 'block-delta') characters += weightOf(part)
    if (blocks > MAX_BLOCKS) return tooLarge(`${MAX_BLOCKS} blocks`)
    return characters > MAX_CHARACTERS ? tooLarge(`${MAX_CHARACTERS} characters`) : undefined
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

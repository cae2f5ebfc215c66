/** Pending items with the start of their arguments only: for lists that are polled. */
import type { PendingItem } from '@toolwire/core'
import { z } from 'zod'

/** Size of the arguments in a list: complete by default. */
export const Inputs = z.enum(['full', 'short']).default('full')
export type Inputs = z.infer<typeof Inputs>

/** Added to an item whose arguments were cut. */
export interface CutInput {
  readonly input_cut?: true
  /** Length of the whole `input_text` in UTF-16 units. */
  readonly input_chars?: number
}

/** Most of the arguments that a short item carries, in UTF-16 units. */
const SHORT = 2000

/** The same items; in the short form those with long arguments say that they were cut. Never halves a character. */
export function withInputs<T extends PendingItem>(
  items: readonly T[],
  inputs: Inputs,
): readonly (T & CutInput)[] {
  return inputs === 'full' ? items : items.map(shorten)
}

function shorten<T extends PendingItem>(item: T): T & CutInput {
  const { input_text } = item
  if (input_text.length <= SHORT) return item
  const code = input_text.charCodeAt(SHORT - 1)
  const end = code >= 0xd800 && code <= 0xdbff ? SHORT - 1 : SHORT
  return { ...item, input_text: input_text.slice(0, end), input_cut: true, input_chars: input_text.length }
}

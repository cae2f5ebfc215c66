/** The given answers to a question. */
import type { ApprovalView } from '../view.ts'

interface Choice {
  readonly label: string
  readonly value: unknown
}

/** One per option that has a name, in order; an option of another shape is left out. */
export const choicesOf = ({ options }: ApprovalView): readonly Choice[] => options.flatMap(toChoice)

function toChoice(option: unknown): readonly Choice[] {
  if (typeof option === 'string') return [{ label: option, value: option }]
  if (typeof option !== 'object' || option === null || !('label' in option)) return []
  return [{ label: String(option.label), value: 'value' in option ? option.value : option.label }]
}

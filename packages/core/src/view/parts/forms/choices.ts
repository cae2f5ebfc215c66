/** The given answers to a question. */
import { asText, field } from '../../tools/call-input.ts'
import type { ApprovalView } from '../../view.ts'
import { shortText } from '../text/display-lines.ts'

interface Choice {
  readonly label: string
  readonly description: string
  readonly value: unknown
}

/** One per option that has a name, in order; an option of another shape is left out. */
export const choicesOf = ({ options }: ApprovalView): readonly Choice[] => options.flatMap(toChoice)

function toChoice(option: unknown): readonly Choice[] {
  if (typeof option === 'string') return [{ label: shortText(option), description: '', value: option }]
  if (typeof option !== 'object' || option === null || !('label' in option)) return []
  return [
    {
      label: shortText(String(option.label)),
      description: shortText(asText(field(option, 'description'))),
      value: 'value' in option ? option.value : option.label,
    },
  ]
}

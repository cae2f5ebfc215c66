/** The sentence that a search ends with where rules withhold files. The same whatever these hold: it must not reveal that. */
import type { ToolContext } from '@toolwire/core'

/** Nothing where no rule reaches below the canonical directory. */
export function withheldNote({ withheld }: Pick<ToolContext, 'withheld'>, root: string): readonly string[] {
  const rules = withheld?.rulesBelow(root) ?? []
  return rules.length === 0
    ? []
    : [`(Files that permission rules withhold are left out: ${rules.join(', ')})`]
}

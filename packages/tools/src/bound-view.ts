/** How a call shows itself is recorded beside its arguments, which are often all that it consists of. */
import { isLarge, type ToolView } from '@toolwire/core'

/** The same picture; a large one without its body, because the arguments stand in the same event. */
export function boundView({ body, ...view }: ToolView): ToolView {
  return body === undefined || isLarge(body) ? view : { ...view, body }
}

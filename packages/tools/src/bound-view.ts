/** A call's display is recorded beside its arguments, which are often all of its content. */
import { isLarge, type ToolView } from '@toolwire/core'

/** The same display; a large one without its body, because the arguments are in the same event. */
export function boundView({ body, ...view }: ToolView): ToolView {
  return body === undefined || isLarge(body) ? view : { ...view, body }
}

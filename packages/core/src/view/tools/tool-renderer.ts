/**
 * A renderer is data and two small functions, so a new tool needs a few lines and no component.
 */
import type { CallView } from '../view.ts'
import type { ToolBody } from './tool-body.ts'

export interface ToolRenderer {
  /** Tool name, names, or a pattern of them. */
  readonly match: string | readonly string[] | RegExp
  /** The subject of the call in one line, shown beside the tool's name. '' for none. */
  readonly title?: (call: CallView) => string
  /** Undefined leaves it to the fallback. */
  readonly body?: (call: CallView) => ToolBody | undefined
}

/** A typed renderer; give it to `describeCall` ahead of the built-in ones. */
export const defineRenderer = (renderer: ToolRenderer): ToolRenderer => renderer

/** A whole response: the one that the last lifecycle event of its stream holds. Pure. */
import type { Frame } from '../wire.ts'
import type { ResponseObject } from './response.ts'

const LIFECYCLE = /^response\.(created|in_progress|completed|incomplete|failed)$/

/** Throws when the frames hold no response. */
export function foldResponse(frames: readonly Frame[]): ResponseObject {
  const last = frames.findLast(frame => frame.event !== undefined && LIFECYCLE.test(frame.event))
  if (!last) throw new Error('The frames hold no response.')
  return (JSON.parse(last.data) as { response: ResponseObject }).response
}

/**
 * Puts interleaved blocks one after another: parts of a later block wait until the
 * earlier one has ended. So the log never interleaves, and no wire has to.
 */
import type { ModelPart } from '@toolwire/core'

type IndexedPart = Extract<ModelPart, { index: number }>

/** Feed parts in; get the parts that may be passed on now. `flush` closes what the model left open. */
export function createBlockSequencer(): {
  readonly push: (part: ModelPart) => readonly ModelPart[]
  readonly flush: () => readonly ModelPart[]
} {
  let current: number | undefined
  let waiting = new Map<number, IndexedPart[]>()

  function push(part: ModelPart): readonly ModelPart[] {
    if (!('index' in part)) return [part]
    if (part.type === 'block-start' && current === undefined) {
      current = part.index
      return [part]
    }
    if (part.index !== current) {
      const held = waiting.get(part.index)
      if (held) held.push(part)
      else if (part.type === 'block-start') waiting.set(part.index, [part])
      // Anything else belongs to a block that never started or has ended: there is nothing to attach it to.
      return []
    }
    if (part.type !== 'block-end') return [part]
    current = undefined
    return [part, ...release()]
  }

  /** Passes on the blocks that waited, up to the first one that is still open. */
  function release(): readonly ModelPart[] {
    const out: ModelPart[] = []
    for (const [index, parts] of waiting) {
      waiting.delete(index)
      // Not spread into one call: a block may have waited with more parts than a stack holds.
      for (const part of parts) out.push(part)
      if (parts.at(-1)?.type !== 'block-end') {
        current = index
        return out
      }
    }
    return out
  }

  function flush(): readonly ModelPart[] {
    const out: ModelPart[] = []
    while (current !== undefined) {
      out.push({ type: 'block-end', index: current })
      current = undefined
      for (const part of release()) out.push(part)
    }
    waiting = new Map()
    return out
  }
  return { push, flush }
}

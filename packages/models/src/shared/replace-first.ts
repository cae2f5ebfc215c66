/** Replaces a stream of parts by another one, as its first part decides. */
import type { ModelPart } from '@toolwire/core'

/** Looks at the first part alone; every other one passes without a cost. `replace` returns the stream to read instead. */
export function replaceFirst(
  parts: AsyncIterable<ModelPart>,
  replace: (first: ModelPart) => AsyncIterable<ModelPart> | undefined,
): AsyncIterableIterator<ModelPart, void, void> {
  let inner = parts[Symbol.asyncIterator]()
  let isFirst = true
  async function first(): Promise<IteratorResult<ModelPart, void>> {
    isFirst = false
    const result = await inner.next()
    const next = result.done ? undefined : replace(result.value)
    if (!next) return result
    await inner.return?.()
    inner = next[Symbol.asyncIterator]()
    return await inner.next()
  }
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next: () => (isFirst ? first() : inner.next()),
    async return() {
      isFirst = false
      await inner.return?.()
      return { done: true, value: undefined }
    },
  }
}

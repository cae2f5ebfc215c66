/** Turns of the event loop, for tests that long work lets other work run in between. */
import { vi } from 'vitest'

/**
 * Returns the most characters that anything in this process gave to JSON.stringify, or got from JSON.parse, between two turns
 * of the event loop. Every step counts as long, so that the clock of the machine decides nothing.
 */
export async function mostPerTurn(work: () => Promise<unknown>): Promise<number> {
  const { parse, stringify } = JSON
  let most = 0
  let chars = 0
  let isOver = false
  let clock = 0
  const add = (count: number): void => {
    chars += count
    most = Math.max(most, chars)
  }
  const nextTurn = (): void => {
    chars = 0
    if (!isOver) setImmediate(nextTurn)
  }
  const now = vi.spyOn(performance, 'now').mockImplementation(() => (clock += 1000))
  Object.assign(JSON, {
    parse(...args: Parameters<typeof parse>) {
      add(args[0].length)
      return parse(...args)
    },
    stringify(...args: Parameters<typeof stringify>) {
      const text: string | undefined = stringify(...args)
      add(text?.length ?? 0)
      return text
    },
  })
  setImmediate(nextTurn)
  try {
    await work()
  } finally {
    isOver = true
    now.mockRestore()
    Object.assign(JSON, { parse, stringify })
  }
  return most
}

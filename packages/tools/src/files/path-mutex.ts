/** One at a time per path, for everything in this process that replaces files. */

const tails = new Map<string, Promise<unknown>>()

/** Runs `work` when everyone who came before for the same path is done, however they ended. */
export async function withPath<T>(path: string, work: () => Promise<T>): Promise<T> {
  const before = tails.get(path) ?? Promise.resolve()
  const mine = before.then(work, work)
  tails.set(path, mine)
  try {
    return await mine
  } finally {
    if (tails.get(path) === mine) tails.delete(path)
  }
}

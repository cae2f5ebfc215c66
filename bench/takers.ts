/** The size of a benchmark run, its contestants, and the results of a part. */
import { type Contestant, contestants, TOOLWIRE, toolwireFrom } from './contestant.ts'
import { install } from './installed.ts'
import { SOURCES } from './start-toolwire.ts'

export interface Size {
  /** Everything as small as it can be: shows that a part works, not what it costs. */
  readonly quick: boolean
  readonly rounds: number
  /** Names of those who take part; all that are there when absent. */
  readonly names?: readonly string[]
}

/** A contestant with results in a part. */
export interface Taker {
  readonly name: string
  readonly version: string
}

export interface Told {
  readonly markdown: string
  /** Those who took part in this part, each once or more often. */
  readonly takers: readonly Taker[]
}

/** Those of all contestants that were picked, those whom the part suits. */
export const taking = (
  { names }: Size,
  suits: (contestant: Contestant) => boolean = () => true,
): readonly Contestant[] =>
  contestants().filter(one => (names === undefined || names.includes(one.name)) && suits(one))

/**
 * Runs `work` with the installed product; with its sources in a quick run. Throws if it is not quick and the web
 * app is not built.
 */
export async function withProduct<T>(
  { quick }: Size,
  work: (command: readonly string[]) => Promise<T>,
): Promise<T> {
  if (quick) return await work(SOURCES)
  const { command, remove } = await install()
  try {
    return await work(command)
  } finally {
    remove()
  }
}

/** Runs `work` with `takers`, the product among them started as `withProduct` does. */
export async function amongInstalled<T>(
  size: Size,
  takers: readonly Contestant[],
  work: (contestants: readonly Contestant[]) => Promise<T>,
): Promise<T> {
  if (!takers.includes(TOOLWIRE)) return await work(takers)
  return await withProduct(size, command =>
    work(takers.map(taker => (taker === TOOLWIRE ? toolwireFrom(command) : taker))),
  )
}

/** Contestants with a durable log are marked. */
export const label = ({ name, durable }: Contestant): string => (durable ? `**${name}**` : name)

/** Samples of a benchmark, collected over its rounds by contestant and route. */
import type { Contestant } from './contestant.ts'

export interface Row<F extends string> {
  readonly contestant: Contestant
  readonly road: string
  /** Size of the load: streams, or characters. */
  readonly size: number
  readonly figures: Readonly<Record<F, number[]>>
  /** The reason of missing results. */
  failure?: string
}

export interface Samples<F extends string> {
  /** The row of these three, created if missing. */
  readonly row: (contestant: Contestant, road: string, size: number) => Row<F>
  readonly add: (row: Row<F>, figures: Readonly<Record<F, number>>) => void
  /** In the order in which they were first asked for. */
  readonly rows: () => readonly Row<F>[]
}

export function gatherSamples<F extends string>(...names: readonly F[]): Samples<F> {
  const rows = new Map<string, Row<F>>()
  return {
    row(contestant, road, size) {
      const key = `${contestant.name} ${road} ${size}`
      const figures = Object.fromEntries(names.map(name => [name, []])) as unknown as Row<F>['figures']
      const row = rows.get(key) ?? { contestant, road, size, figures }
      rows.set(key, row)
      return row
    },
    add(row, figures) {
      for (const name of names) row.figures[name].push(figures[name])
    },
    rows: () => [...rows.values()],
  }
}

/** The cells of a row; one without results has the reason in the third. */
export const orFailure = <F extends string>(row: Row<F>, cells: readonly string[]): readonly string[] =>
  row.failure === undefined ? cells : [...cells.slice(0, 2), `failed: ${row.failure}`, ...cells.slice(3)]

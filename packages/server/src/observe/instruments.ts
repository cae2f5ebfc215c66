/**
 * Counters, gauges and histograms in Prometheus' text form. Label values must come from small
 * fixed sets: every combination is kept for the life of the process.
 */
type Labels = Readonly<Record<string, string>>

interface Counter {
  readonly add: (amount: number, labels?: Labels) => void
}
interface Histogram {
  readonly observe: (value: number, labels?: Labels) => void
}

export interface Instruments {
  readonly counter: (name: string, help: string) => Counter
  /** Read when the text is made. */
  readonly gauge: (
    name: string,
    help: string,
    read: () => Promise<readonly Sample[]> | readonly Sample[],
  ) => void
  /** An external sum: read when the text is made, and never lower than before. */
  readonly total: (name: string, help: string, read: () => number) => void
  /** `bounds` in rising order. */
  readonly histogram: (name: string, help: string, bounds: readonly number[]) => Histogram
  /** The exposition of everything. A gauge that cannot be read is left out. */
  readonly text: () => Promise<string>
}

export interface Sample {
  readonly value: number
  readonly labels?: Labels
}

interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly lines: () => Promise<readonly string[]> | readonly string[]
}

export function createInstruments(): Instruments {
  const families: Family[] = []
  return {
    counter(name, help) {
      const sums = new Map<string, number>()
      families.push({
        name,
        help,
        type: 'counter',
        lines: () => [...sums].map(([key, sum]) => line(name, key, sum)),
      })
      return {
        add(amount, labels) {
          const key = render(labels)
          sums.set(key, (sums.get(key) ?? 0) + amount)
        },
      }
    },
    gauge(name, help, read) {
      const lines = async (): Promise<readonly string[]> =>
        (await read()).map(({ value, labels }) => line(name, render(labels), value))
      families.push({ name, help, type: 'gauge', lines })
    },
    total(name, help, read) {
      families.push({ name, help, type: 'counter', lines: () => [line(name, '', read())] })
    },
    histogram(name, help, bounds) {
      const series = new Map<string, Buckets>()
      const lines = (): readonly string[] =>
        [...series.values()].flatMap(buckets => bucketLines(name, bounds, buckets))
      families.push({ name, help, type: 'histogram', lines })
      return {
        observe(value, labels = NO_LABELS) {
          const key = render(labels)
          const buckets = series.get(key) ?? { labels, counts: bounds.map(() => 0), count: 0, sum: 0 }
          series.set(key, buckets)
          const place = bounds.findIndex(bound => value <= bound)
          if (place >= 0) buckets.counts[place] = (buckets.counts[place] ?? 0) + 1
          buckets.count += 1
          buckets.sum += value
        },
      }
    },
    async text() {
      const parts = await Promise.all(families.map(toText))
      return `${parts.filter(part => part !== '').join('\n')}\n`
    },
  }
}

interface Buckets {
  readonly labels: Labels
  readonly counts: number[]
  count: number
  sum: number
}

function bucketLines(name: string, bounds: readonly number[], buckets: Buckets): readonly string[] {
  const { labels, counts, count, sum } = buckets
  let total = 0
  const out = bounds.map((bound, i) => {
    total += counts[i] ?? 0
    return line(`${name}_bucket`, render({ ...labels, le: String(bound) }), total)
  })
  out.push(line(`${name}_bucket`, render({ ...labels, le: '+Inf' }), count))
  out.push(line(`${name}_sum`, render(labels), sum), line(`${name}_count`, render(labels), count))
  return out
}

async function toText({ name, help, type, lines }: Family): Promise<string> {
  try {
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...(await lines())].join('\n')
  } catch {
    return ''
  }
}

const line = (name: string, labels: string, value: number): string => `${name}${labels} ${value}`

const NO_LABELS: Labels = {}

function render(labels: Labels = NO_LABELS): string {
  // For every append.
  if (labels === NO_LABELS) return ''
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

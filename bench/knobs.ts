/** Stream settings of the benchmarks' provider API, as part of a model's name: `claude-bench.d500.w20`. */

export interface Knobs {
  /** Text deltas per message. */
  readonly d: number
  /** Characters per text delta. */
  readonly b: number
  /** Milliseconds between deltas; 0: as fast as they are taken. */
  readonly w: number
  /** 1: every text delta carries the time at which it was written. */
  readonly s: number
  /** Rounds of tool calls before the last message. */
  readonly r: number
  /** Calls per round. */
  readonly p: number
  /** Characters of a call's arguments. */
  readonly t: number
  /** Characters per delta of arguments. */
  readonly u: number
  /** The argument `ms`: the duration of the tool. */
  readonly m: number
  /** Milliseconds of silence after each call of a message. */
  readonly q: number
}

const DEFAULTS: Knobs = { d: 3, b: 24, w: 0, s: 0, r: 0, p: 1, t: 48, u: 16, m: 0, q: 0 }

export const knobsName = (prefix: string, knobs: Partial<Knobs>): string =>
  [prefix, ...Object.entries(knobs).map(([name, value]) => `${name}${value}`)].join('.')

/** Unnamed settings have their defaults. */
export function parseKnobs(model: string): Knobs {
  const given = [...model.matchAll(/\.([a-z])(\d+)/g)].map(([, name, value]) => [name, Number(value)])
  return { ...DEFAULTS, ...Object.fromEntries(given) }
}

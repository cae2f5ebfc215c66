/**
 * What chaos does, as a pure function of its seed: the faults one after another with their pauses and victims, and
 * what is said in each session. Only the machine's pace decides how much of it happens within the time.
 */
import { createRandom } from '../soundness/random.ts'

export const FAULTS = ['kill', 'stop', 'cut', 'term', 'database'] as const
export type Fault = (typeof FAULTS)[number]

export interface Step {
  /** Quiet time before it. */
  readonly afterMs: number
  readonly fault: Fault
  /** From 0 to 1: which of the servers that are well is hurt. */
  readonly victim: number
  /** How long the fault is kept up once its sessions are taken over, or the database is down. */
  readonly holdMs: number
}

/** Each fault once, in an order of the seed's choice, then again in another: short runs see many kinds. */
export function* planFaults(seed: number): Generator<Step, never> {
  const random = createRandom(seed)
  for (;;) {
    for (const fault of shuffled(FAULTS, random))
      yield {
        fault,
        afterMs: Math.round(500 + random() * 2000),
        victim: random(),
        holdMs: Math.round(random() * 1000),
      }
  }
}

interface Said {
  /** A long answer, or a command that leaves a line. */
  readonly asksFor: 'answer' | 'write'
  /** Sent to two servers at once, with one key: it must count once. */
  readonly isTwice: boolean
}

/** What is said in a session, one thing after another. */
export function* planTalk(seed: number, session: number): Generator<Said, never> {
  const random = createRandom(seed * 1_000_003 + session + 1)
  for (;;) yield { asksFor: random() < 0.5 ? 'answer' : 'write', isTwice: random() < 0.25 }
}

/** One line per step, for people. */
export const describeStep = ({ afterMs, fault, victim, holdMs }: Step): string =>
  `after ${afterMs} ms: ${fault}, victim ${victim.toFixed(3)}, held ${holdMs} ms`

function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  const rest = [...items]
  return items.flatMap(() => rest.splice(Math.floor(random() * rest.length), 1))
}

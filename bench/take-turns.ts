/**
 * Contestants one after the other, repeatedly: a busy moment affects all of them. A failure is recorded for its
 * contestant; the others continue.
 */
import type { Contestant } from './contestant.ts'
import { forkHelper, type Subject } from './spawn-subject.ts'

export interface Turn {
  readonly contestant: Contestant
  readonly subject: Subject
  /** Address of the provider behind it. */
  readonly upstream: string
}

/** Starts and stops a fresh server for every turn. `failed` hears of every turn that threw. */
export async function takeTurns(
  contestants: readonly Contestant[],
  rounds: number,
  work: (turn: Turn) => Promise<void>,
  failed: (contestant: Contestant, why: string) => void,
): Promise<void> {
  const upstream = await forkHelper('./upstream-server.ts')
  try {
    for (let round = 0; round < rounds; round++)
      for (const contestant of contestants)
        await takeTurn(contestant, upstream.url, work).catch((error: unknown) =>
          failed(contestant, error instanceof Error ? error.message : String(error)),
        )
  } finally {
    await upstream.stop()
  }
}

async function takeTurn(
  contestant: Contestant,
  upstream: string,
  work: (turn: Turn) => Promise<void>,
): Promise<void> {
  const subject = await contestant.start(upstream)
  try {
    await work({ contestant, subject, upstream })
  } finally {
    await subject.stop()
  }
}

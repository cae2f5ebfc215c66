/** The answer of a request that does not stream: waits until it is complete and folds its frames. */
import type { ServerResponse } from 'node:http'
import {
  createFollower,
  type Follow,
  type Frame,
  foldThreadAnswer,
  type ThreadAnswer,
  threadWire,
} from '@toolwire/wire'
import type { ServerContext } from '../context.ts'
import { createSessionWaiter } from '../session-waiter.ts'

const PAGE = 500
const FOLDED = /^(conversation|iteration|text|refusal)\.(?!chunk)/

export interface CollectPlan {
  readonly session: string
  readonly follow: Follow
}

/** Undefined when the client went away first; the run goes on without it. Throws `session_deleted`. */
export async function collectAnswer(
  context: ServerContext,
  plan: CollectPlan,
  client: ServerResponse,
): Promise<ThreadAnswer | undefined> {
  const waiter = createSessionWaiter(context, plan.session, client)
  try {
    const collector = createCollector(plan)
    let position = 0
    for (;;) {
      waiter.reset()
      const records = await context.reader.read(plan.session, position, PAGE)
      for (const rec of records) {
        position = rec.seq
        if (collector.take(rec)) return foldThreadAnswer(collector.frames)
      }
      if (waiter.stopped()) return undefined
      if (records.length < PAGE) await waiter.wait()
    }
  } finally {
    waiter.close()
  }
}

/** Keeps what the fold reads: previews and tool events would only cost memory. */
function createCollector({ session, follow }: CollectPlan) {
  const step = threadWire.open({ session_id: session })
  const followed = createFollower(follow)
  const frames: Frame[] = []
  return {
    frames,
    /** True with the last record of the answer. */
    take(rec: Parameters<typeof step>[0]): boolean {
      const made = step(rec)
      const { shown, last } = followed(rec)
      if (shown) frames.push(...made.filter(frame => FOLDED.test(frame.event ?? '')))
      return last
    },
  }
}

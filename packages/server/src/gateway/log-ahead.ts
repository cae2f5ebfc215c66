/** Reads the log after a position: did a response fail, and did the session continue. */
import { createSelector, type Rec, readPages } from '@toolwire/core'
import type { GatewayContext, StartedAnswer } from './gateway-context.ts'

type AnswerPosition = Pick<StartedAnswer, 'session' | 'follow' | 'from'>

/** True if the response ended early: then a retry is worth it. */
export async function endedBadly(context: GatewayContext, answer: AnswerPosition): Promise<boolean> {
  const end = await findEnd(context, answer)
  return end?.type === 'run.failed' || end?.type === 'run.cancelled'
}

/** True when the answer is over and another attempt may end in another way. */
export async function canRetry(context: GatewayContext, answer: AnswerPosition): Promise<boolean> {
  const end = await findEnd(context, answer)
  return end?.type === 'run.failed' ? end.error.retryable : end?.type === 'run.cancelled'
}

export const hasEnded = async (context: GatewayContext, answer: AnswerPosition): Promise<boolean> =>
  (await findEnd(context, answer)) !== undefined

async function findEnd(
  context: GatewayContext,
  { session, follow, from }: AnswerPosition,
): Promise<Rec['ev'] | undefined> {
  const followed = createSelector(follow)
  return (await findAfter(context, session, from, rec => followed(rec).last))?.ev
}

/** Aborted messages of the response so far: its run continued with another message instead. */
export async function brokenOff(
  context: GatewayContext,
  { session, from }: Pick<StartedAnswer, 'session' | 'from'>,
): Promise<readonly string[]> {
  const lost: string[] = []
  await findAfter(context, session, from, ({ ev }) => {
    if (ev.type === 'message.aborted' && ev.agent_run_id === undefined) lost.push(ev.message_id)
    return false
  })
  return lost
}

/** The place before the first record of a run; undefined when the log holds none of it. */
export async function beforeRun(
  context: GatewayContext,
  session: string,
  run_id: string,
): Promise<number | undefined> {
  const first = await findAfter(context, session, 0, ({ ev }) => ev.run_id === run_id)
  return first && first.seq - 1
}

/** True if a run of the session itself started after `seq`. */
export async function hasRunAfter(context: GatewayContext, session: string, seq: number): Promise<boolean> {
  const isRun = ({ ev }: Rec): boolean => ev.agent_run_id === undefined && ev.type === 'run.started'
  return (await findAfter(context, session, seq, isRun)) !== undefined
}

async function findAfter(
  context: GatewayContext,
  session: string,
  seq: number,
  isIt: (rec: Rec) => boolean,
): Promise<Rec | undefined> {
  for await (const records of readPages(context.sessions.reader, session, { after: seq })) {
    const found = records.find(isIt)
    if (found) return found
  }
  return undefined
}

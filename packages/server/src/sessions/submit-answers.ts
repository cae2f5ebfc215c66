/** Answers of the request's principal: checks its scopes and appends them in its name. */
import { type Answers, appendAnswers, type RecordedAnswer } from '@toolwire/session'
import { mustHave } from '../access/principal.ts'
import type { ServerContext } from '../context.ts'

/** As `appendAnswers`. Also throws `forbidden`. */
export async function submitAnswers(
  { principal, sessions }: Pick<ServerContext, 'principal' | 'sessions'>,
  session: string,
  answers: Omit<Answers, 'by'>,
): Promise<readonly RecordedAnswer[]> {
  const caller = principal()
  if (answers.approvals.length > 0) mustHave(caller, 'approve')
  // A rule for the project outlives the session and applies to everyone who works in that directory.
  if (answers.approvals.some(({ rule }) => rule?.startsWith('project:'))) mustHave(caller, 'admin')
  return await appendAnswers(sessions, session, { ...answers, by: caller.key_id ?? 'client' })
}

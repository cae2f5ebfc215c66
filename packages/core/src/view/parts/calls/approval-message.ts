/** The reason that a call asks, in the reader's language where the server sent it as data. */
import type { MessageKey } from '../../strings/en.ts'
import type { Params, Translate } from '../../strings/translate.ts'
import type { ApprovalView } from '../../view.ts'

const KNOWN = {
  outside: 'why.outside',
  changes: 'why.changes',
  may_change: 'why.may_change',
  rule: 'why.rule',
  unclear: 'why.unclear',
  command: 'why.command',
  writes: 'why.writes',
} as const satisfies Readonly<Record<string, MessageKey>>

/** The server's own sentence when it gave no reason that is known here; '' when there is nothing to say. */
export function approvalMessage({ details, message = '' }: ApprovalView, t: Translate): string {
  const why = asRecord(asRecord(details)?.['why'])
  const code = why?.['code']
  const params = asRecord(why?.['params'])
  // The server speaks English, and more exactly than a table of sentences can.
  if (t.locale === 'en' && message !== '') return message
  if (!params || typeof code !== 'string' || !Object.hasOwn(KNOWN, code)) return message
  return t(KNOWN[code as keyof typeof KNOWN], toParams(params))
}

const toParams = (given: Readonly<Record<string, unknown>>): Params =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]))

const asRecord = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined

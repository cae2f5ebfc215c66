/** Changes that a gateway makes to a request; none of them is silent. */
import { AppError, type EventOf, type Warning } from '@toolwire/core'

export type { Warning } from '@toolwire/core'

/** Collects warnings; a strict request is refused at the first one. */
export interface Warnings {
  /** Throws `bad_request` when the request is strict. */
  readonly add: (code: string, message: string) => void
  /** Says what is done in another way than asked, with the same effect; strict requests take it too. */
  readonly note: (code: string, message: string) => void
  readonly list: readonly Warning[]
}

/** More are not listed; the request is repaired all the same. */
const MAX_WARNINGS = 100
const MORE: Warning = {
  code: 'more_warnings',
  message: `More than ${MAX_WARNINGS} changes were made to this request; the others are not listed.`,
}

export function createWarnings(strict: boolean): Warnings {
  const list: Warning[] = []
  const known = new Set<string>()
  function note(code: string, message: string): void {
    const key = `${code} ${message}`
    if (known.has(key) || list.length > MAX_WARNINGS) return
    known.add(key)
    list.push(list.length < MAX_WARNINGS ? { code, message } : MORE)
  }
  return {
    list,
    note,
    add(code, message) {
      if (strict) throw new AppError('bad_request', message, { code })
      note(code, message)
    },
  }
}

/** A call that was shown and then not run: its arguments do not fit, or the output limit cut it off. */
export function refusedCall({ call_id, error }: Pick<EventOf<'tool.failed'>, 'call_id' | 'error'>): Warning {
  if (error.code === 'truncated')
    return {
      code: 'call_cut_off',
      message: `The output limit cut the call ${call_id} off; it needs no answer.`,
    }
  return {
    code: 'invalid_arguments',
    message: `The call ${call_id} was rejected with an error result for the model; it needs no result. ${error.message}`,
  }
}

/** A call that its client gets although its arguments do not fit. */
export const unfitCall = (call_id: string, problem: string): Warning => ({
  code: 'invalid_arguments',
  message: `The arguments of the call ${call_id} are as the model wrote them, but do not fit: ${problem}`,
})

/** The first and the further ones, each once. */
export function mergeWarnings(known: readonly Warning[], more: readonly Warning[]): readonly Warning[] {
  const first = new Map<string, Warning>()
  for (const one of [...known, ...more]) if (!first.has(one.message)) first.set(one.message, one)
  return [...first.values()]
}

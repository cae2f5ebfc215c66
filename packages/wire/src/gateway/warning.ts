/** Changes that a gateway makes to a request; none of them is silent. */
import { AppError } from '@toolwire/core'

export interface Warning {
  readonly code: string
  readonly message: string
}

/** Collects warnings; a strict request is refused at the first one. */
export interface Warnings {
  /** Throws `bad_request` when the request is strict. */
  readonly add: (code: string, message: string) => void
  readonly list: readonly Warning[]
}

export function createWarnings(strict: boolean): Warnings {
  const list: Warning[] = []
  return {
    list,
    add(code, message) {
      if (strict) throw new AppError('bad_request', message, { code })
      if (!list.some(known => known.code === code && known.message === message)) list.push({ code, message })
    },
  }
}

/** A call that was shown before its arguments turned out not to fit; the model was told, so nobody has to answer. */
export const invalidArguments = (call_id: string): Warning => ({
  code: 'invalid_arguments',
  message: `The arguments of the call ${call_id} do not fit its tool; the model was told, the call needs no answer.`,
})

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

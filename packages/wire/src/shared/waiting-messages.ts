/** Messages of a list that no model has received: a change replaces one, a withdrawal removes it. */
import type { EventOf, SessionEvent } from '@toolwire/core'

interface WaitingMessages<M> {
  /** Returns the message as the list holds it. */
  readonly add: (ev: EventOf<'input.message'>) => M
  readonly step: (ev: SessionEvent) => void
}

/** Changes `list` in place. */
export function createWaitingMessages<M>(
  list: M[],
  toMessage: (ev: EventOf<'input.message'>) => M,
): WaitingMessages<M> {
  const waiting = new Map<string, { readonly ev: EventOf<'input.message'>; readonly message: M }>()
  const replace = (id: string, ...items: M[]): void => {
    const at = list.indexOf(waiting.get(id)?.message as M)
    if (at !== -1) list.splice(at, 1, ...items)
  }
  const add = (ev: EventOf<'input.message'>): M => {
    const message = toMessage(ev)
    waiting.set(ev.message_id, { ev, message })
    return message
  }
  const settle = (run: string | undefined): void => {
    for (const [id, { ev }] of waiting) if (ev.run_id === run) waiting.delete(id)
  }
  return {
    add,
    step(ev) {
      switch (ev.type) {
        case 'run.started':
          settle(ev.run_id)
          return
        case 'input.delivered':
          waiting.delete(ev.message_id)
          return
        case 'input.withdrawn':
          replace(ev.message_id)
          waiting.delete(ev.message_id)
          return
        case 'input.changed': {
          const before = waiting.get(ev.message_id)
          if (!before || ev.content === undefined) return
          const changed = { ...before.ev, content: ev.content }
          const message = toMessage(changed)
          replace(ev.message_id, message)
          waiting.set(ev.message_id, { ev: changed, message })
          return
        }
        default:
      }
    },
  }
}

/** Looks an event up in a session's log, for what began in another process or before the start of this one. */
import { type EventOf, readPages, type SessionEvent, type Store } from '@toolwire/core'

/**
 * The latest matching event of this type. Undefined if there is no such item; rejects if the log cannot be read.
 */
export async function findInLog<T extends SessionEvent['type']>(
  log: Pick<Store, 'read'>,
  session: string,
  type: T,
  fits: (event: EventOf<T>) => boolean,
): Promise<EventOf<T> | undefined> {
  let found: EventOf<T> | undefined
  for await (const page of readPages(log, session, { after: 0 }))
    for (const { ev } of page) if (isOf(ev, type) && fits(ev)) found = ev
  return found
}

const isOf = <T extends SessionEvent['type']>(event: SessionEvent, type: T): event is EventOf<T> =>
  event.type === type

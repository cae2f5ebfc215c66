/** Stamps a write with its API key. Callers can neither set nor omit it. */
import type { Append, SessionEvent } from '@toolwire/core'
import type { Principal } from './principal.ts'
import { makerOf } from './token-book.ts'

/** Labels that a session carries from the key that made it. */
export const OWNER_LABEL = 'owner'
export const KEY_LABEL = 'api_key'
/** The browser token that made the session. */
export const TOKEN_LABEL = 'token'
/** The key that began what the session does at present, or did last. */
export const RUN_KEY_LABEL = 'run_key'
/** The key that made the browser token which began a run. It stays when another key begins the next one. */
export const RUN_MAKER_LABEL = 'run_maker'

/** Inputs name their key, and the runs that they begin are that key's. A new session is marked with its owner. */
export function attributeWrite(write: Append, principal: Principal): Append {
  const { key_id, models } = principal
  const events = key_id === null ? write.events : write.events.map(event => withKey(event, key_id, models))
  const key = startsRun(write) ? runKeyOf(events) : undefined
  const labels = {
    ...write.index?.labels,
    ...(key === undefined ? {} : runLabels(key)),
    ...(write.create === true ? originLabels(principal) : {}),
  }
  if (Object.keys(labels).length === 0) return { ...write, events }
  return { ...write, events, index: { ...write.index, labels } }
}

function runLabels(key: string): Readonly<Record<string, string>> {
  const maker = makerOf(key)
  return { [RUN_KEY_LABEL]: key, ...(maker === undefined ? {} : { [RUN_MAKER_LABEL]: maker }) }
}

const originLabels = ({ owner, key_id, token }: Principal): Readonly<Record<string, string>> => ({
  [OWNER_LABEL]: owner,
  ...(key_id ? { [KEY_LABEL]: key_id } : {}),
  ...(token ? { [TOKEN_LABEL]: token.id } : {}),
})

/** True if this write starts or resumes a run. A cancel starts nothing. */
export const startsRun = ({ state, events }: Append): boolean =>
  state === 'running' && events.some(event => event.type !== 'input.cancel' && isSigned(event))

type AttributedEvent =
  | Extract<SessionEvent, { readonly via?: unknown }>
  | Extract<SessionEvent, { type: 'input.cancel' }>

const isSigned = (event: SessionEvent): event is AttributedEvent =>
  event.type.startsWith('input.') || event.type === 'run.started'

/** A copied message keeps the key that it was sent with, and its rights. */
function withKey(event: SessionEvent, key: string, models: Principal['models']): SessionEvent {
  if (!isSigned(event) || event.type === 'input.cancel') return event
  if (event.via === undefined || event.via.key !== undefined) return event
  const via = { ...event.via, key }
  if (models === null || (event.type !== 'input.message' && event.type !== 'run.started'))
    return { ...event, via } as SessionEvent
  return { ...event, via, allowed_models: [...models] }
}

function runKeyOf(events: readonly SessionEvent[]): string | undefined {
  for (const event of events)
    if (isSigned(event) && event.type !== 'input.cancel' && event.via?.key) return event.via.key
  return undefined
}

/**
 * Wire messages of a growing history, each made once: the same turn gives the same objects, whose JSON request-body.ts
 * keeps. Holds nothing itself: what is remembered goes with its turn.
 */
import type { NameMap } from './legal-names.ts'
import type { Turn } from './turns.ts'

/** The part of a request that its messages depend on, beside their turns. */
interface MessageSetting {
  readonly names: NameMap
  /** See `ModelRequest.boundary`. */
  readonly boundary: string | undefined
  /** Models that take system messages in the middle get other messages. */
  readonly midSystem?: boolean
}

type TurnMapper<T> = (turn: Turn, setting: MessageSetting) => readonly T[]

/** `map`, remembered per turn. It must depend on its arguments alone. */
export function rememberTurns<T>(map: TurnMapper<T>): TurnMapper<T> {
  const known = new WeakMap<Turn, { readonly setting: MessageSetting; readonly messages: readonly T[] }>()
  return (turn, setting) => {
    // A stand-in for a name depends on the other names of its request.
    if (setting.names.hasStandIns) return map(turn, setting)
    const before = known.get(turn)
    if (before && isSame(before.setting, setting)) return before.messages
    const messages = map(turn, setting)
    known.set(turn, { setting, messages })
    return messages
  }
}

const isSame = (a: MessageSetting, b: MessageSetting): boolean =>
  a.boundary === b.boundary && a.midSystem === b.midSystem

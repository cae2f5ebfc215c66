/**
 * Wire messages of a growing history, each made once: the same turn gives the same objects, whose JSON request-body.ts
 * keeps. Holds nothing itself: what is remembered goes with its turn.
 */
import type { NameMap } from './legal-names.ts'
import type { Turn } from './turns.ts'

/** The part of a request that its messages depend on, beside their turns. */
interface MessageSetting<O> {
  readonly names: NameMap
  /** See `ModelRequest.boundary`. */
  readonly boundary: string | undefined
  /** Models that take system messages in the middle get other messages. */
  readonly midSystem?: boolean
  /** The provider whose opaque data goes back. */
  readonly origin?: O
}

type TurnMapper<T, O> = (turn: Turn, setting: MessageSetting<O>) => readonly T[]

/** `map`, remembered per turn. It must depend on its arguments alone. */
export function rememberTurns<T, O = undefined>(map: TurnMapper<T, O>): TurnMapper<T, O> {
  const known = new WeakMap<Turn, { readonly setting: MessageSetting<O>; readonly messages: readonly T[] }>()
  return (turn, setting) => {
    // A replacement for a name depends on the other names of its request.
    if (setting.names.hasStandIns) return map(turn, setting)
    const before = known.get(turn)
    if (before && isSame(before.setting, setting)) return before.messages
    const messages = map(turn, setting)
    known.set(turn, { setting, messages })
    return messages
  }
}

const isSame = <O>(a: MessageSetting<O>, b: MessageSetting<O>): boolean =>
  a.boundary === b.boundary && a.midSystem === b.midSystem && a.origin === b.origin

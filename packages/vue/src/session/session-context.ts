/** Context shared by every part below a `SessionProvider`. */
import type { Client, LiveSession, SessionSnapshot } from '@toolwire/client'
import type { CallView, ToolRenderer, Translate } from '@toolwire/core/view'
import { type Component, type ComputedRef, type InjectionKey, inject, type ShallowRef } from 'vue'
import type { Disclosure } from '../shared/disclosure.ts'

/** A session to show: a live one, or a fixed snapshot in a test or a story. */
export type SessionSource = Pick<LiveSession, 'id' | 'subscribe' | 'getSnapshot' | 'send' | 'registerTool'>

/** The calls that parts make. A `Client` has them all. */
export interface SessionCommands
  extends Pick<Client, 'approve' | 'deny' | 'answer'>,
    Pick<Client['sessions'], 'cancel' | 'cancelCall' | 'fork' | 'toolOutputs'>,
    // Schemas for forms: without them a form is made from the arguments themselves. The log as it is, for `useEvents`.
    Partial<Pick<Client, 'tools' | 'events' | 'frames'>>,
    // Versions of messages and the queue: without them there are no buttons for them.
    Partial<
      Pick<
        Client['sessions'],
        'regenerate' | 'edit' | 'selectBranch' | 'changeQueued' | 'withdraw' | 'resumeQueue'
      >
    > {
  /** Without it, stored images are drawn by their addresses, which works where no key is needed, and no file can be attached. */
  readonly files?: Pick<Client['files'], 'content'> & Partial<Pick<Client['files'], 'upload'>>
}

export interface SessionContextValue {
  readonly session: ComputedRef<SessionSource>
  /** The latest snapshot: the one subscription that all parts read from. */
  readonly snapshot: Readonly<ShallowRef<SessionSnapshot>>
  readonly commands: ComputedRef<SessionCommands>
  readonly t: ComputedRef<Translate>
  readonly renderers: ComputedRef<readonly ToolRenderer[]>
  readonly disclosure: ComputedRef<Disclosure>
  /** Draws text; props `text` and `streaming` (more of it may come). */
  readonly Text: ComputedRef<Component>
  /** Draws source code; props `code` and `lang`. */
  readonly Code: ComputedRef<Component>
  /** Messages inside of cards: agents have separate conversations. Prop `id`. */
  readonly Message: Component
  /** Further controls of one call, below its content and in every state; prop `call`. */
  readonly CallActions: ComputedRef<Component | undefined>
  /** Replaces "View full" where the log holds only a part of a call's output; prop `call`. */
  readonly FullOutput: ComputedRef<Component | undefined>
  /** Draw the calls of tools in place of cards, by the tool's name; prop `call`. */
  readonly tools: ComputedRef<Readonly<Record<string, Component>>>
  /** Takes what was written into the form of a call, before the call is answered. */
  readonly onForm: ComputedRef<((call: CallView, values: unknown) => unknown) | undefined>
  readonly clock: () => number
}

export const SESSION: InjectionKey<SessionContextValue> = Symbol('toolwire session')

/** The surrounding provider's value. Throws outside of one. */
export function useSessionContext(): SessionContextValue {
  const value = inject(SESSION)
  if (!value) throw new Error('This part needs a <SessionProvider> around it.')
  return value
}

/** Context shared by every part below a `SessionProvider`. Stable while the provider's props are. */
import type { Client, LiveSession } from '@toolwire/client'
import type { CallView, ToolRenderer, Translate } from '@toolwire/core/view'
import { type ComponentType, createContext, useContext } from 'react'
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

/** Props of text renderers. `streaming`: more text may arrive. */
export interface TextProps {
  readonly text: string
  readonly streaming: boolean
}

/** Props of code renderers; `lang` is a file extension or a fence's language, '' if unknown. */
export interface CodeProps {
  readonly code: string
  readonly lang: string
}

/** One call: for further controls below its content, and for a page's own drawing of a tool. */
export interface CallActionsProps {
  readonly call: CallView
}

export interface SessionContextValue {
  readonly session: SessionSource
  readonly commands: SessionCommands
  readonly t: Translate
  readonly renderers: readonly ToolRenderer[]
  readonly disclosure: Disclosure
  readonly Text: ComponentType<TextProps>
  readonly Code: ComponentType<CodeProps>
  /** Messages inside of cards: agents have separate conversations. */
  readonly Message: ComponentType<{ readonly id: string }>
  readonly CallActions?: ComponentType<CallActionsProps> | undefined
  readonly FullOutput?: ComponentType<CallActionsProps> | undefined
  /** Draw the calls of tools in place of cards, by the tool's name. */
  readonly tools: Readonly<Record<string, ComponentType<CallActionsProps>>>
  /** Takes what was written into the form of a call, before the call is answered. */
  readonly onForm?: ((call: CallView, values: unknown) => unknown) | undefined
  readonly clock: () => number
}

export const SessionContext = createContext<SessionContextValue | undefined>(undefined)

/** The surrounding provider's value. Throws outside of one. */
export function useSessionContext(): SessionContextValue {
  const value = useContext(SessionContext)
  if (!value) throw new Error('This part needs a <SessionProvider> around it.')
  return value
}

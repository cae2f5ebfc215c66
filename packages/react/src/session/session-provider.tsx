/** Puts a session within reach of the parts below it. */
import type { Client } from '@toolwire/client'
import { type Density, NewPending } from '@toolwire/core/parts'
import { createTranslate, en, type PendingView, type Strings, type ToolRenderer } from '@toolwire/core/view'
import { type ComponentType, type ReactNode, useEffect, useMemo, useRef } from 'react'
import { PlainCode, PlainText } from '../output/plain-text.tsx'
import { Disclosure } from '../shared/disclosure.ts'
import { Message } from '../thread/message.tsx'
import {
  type CallActionsProps,
  type CodeProps,
  type SessionCommands,
  SessionContext,
  type SessionContextValue,
  type SessionSource,
  type TextProps,
} from './session-context.ts'

export interface SessionProviderProps {
  /** The client whose session `sessionId` is shown. */
  readonly client?: Client
  readonly sessionId?: string
  /** In place of `client`: a session from elsewhere, and where its commands go. */
  readonly session?: SessionSource
  readonly commands?: SessionCommands
  /** English by default; see `@toolwire/core/strings` for the others. */
  readonly strings?: Strings
  /** Looked at before the built-in ones. */
  readonly renderers?: readonly ToolRenderer[]
  readonly density?: Density
  /** Draws the assistant's text; plain paragraphs by default. It must not trust the text. */
  readonly text?: ComponentType<TextProps>
  /** Draws files and code; without colours by default. */
  readonly code?: ComponentType<CodeProps>
  /** Further controls of every call; none by default. */
  readonly callActions?: ComponentType<CallActionsProps>
  /** Replaces "View full" where the log holds only a part of a call's output; it reads the rest from the server. */
  readonly fullOutput?: ComponentType<CallActionsProps>
  /** Components that draw the calls of tools in place of cards, by the tool's name. */
  readonly tools?: SessionContextValue['tools']
  /**
   * Called with everything that starts to wait for the user, including items that wait already when the session is
   * opened.
   */
  readonly onNeedsAttention?: (item: PendingView) => void
  /** Takes what was written into the form of a call, such as StickerRequest; the server never gets it. */
  readonly onForm?: SessionContextValue['onForm']
  readonly clock?: () => number
  readonly children?: ReactNode
}

const NO_RENDERERS: readonly ToolRenderer[] = []
const NO_TOOLS: SessionContextValue['tools'] = {}

/** Throws when neither a client with a session id nor a session with commands is given. */
export function SessionProvider(props: SessionProviderProps) {
  const { client, sessionId, strings = en, renderers = NO_RENDERERS, density = 'normal' } = props
  const { text: Text = PlainText, code: Code = PlainCode, clock = Date.now, callActions: CallActions } = props
  const { tools = NO_TOOLS, fullOutput: FullOutput, onForm } = props
  const session = props.session ?? (sessionId === undefined ? undefined : client?.session(sessionId))
  const commands = useMemo(
    () =>
      props.commands ??
      (client && { ...client.sessions, events: client.events, frames: client.frames, files: client.files }),
    [props.commands, client],
  )
  if (!session || !commands)
    throw new Error('<SessionProvider> needs client and sessionId, or session and commands.')
  const t = useMemo(() => createTranslate(strings), [strings])
  const disclosure = useMemo(() => new Disclosure(density), [density])
  const value = useMemo(
    () => ({
      session,
      commands,
      t,
      renderers,
      disclosure,
      Text,
      Code,
      Message,
      CallActions,
      FullOutput,
      tools,
      onForm,
      clock,
    }),
    [session, commands, t, renderers, disclosure, Text, Code, CallActions, FullOutput, tools, onForm, clock],
  )
  useAttention(session, props.onNeedsAttention)
  return <SessionContext.Provider value={value}>{props.children}</SessionContext.Provider>
}

/** Each item once, in order. */
function useAttention(session: SessionSource, tell: SessionProviderProps['onNeedsAttention']): void {
  const latest = useRef(tell)
  latest.current = tell
  const wanted = tell !== undefined
  useEffect(() => {
    if (!wanted) return
    const told = new NewPending()
    const look = () => {
      for (const item of told.of(session.getSnapshot().view)) latest.current?.(item)
    }
    look()
    return session.subscribe(look)
  }, [session, wanted])
}

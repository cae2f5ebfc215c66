/**
 * The page beside a call, in a frame that shares only messages with this app: a separate origin, no storage, no
 * network unless allowed. Its requests go through the bridge alone.
 */
import type { CallView } from '@toolwire/core/view'
import { useEffect, useMemo, useRef, useState } from 'react'
import { client } from '../client.ts'
import { usePreferences } from '../preferences.ts'
import { errorText } from '../use-loaded.ts'
import type { BridgeEffect } from './bridge.ts'
import { factsOf } from './call-facts.ts'
import { followCall } from './follow-call.ts'
import { changing, hostFacts, MAX_HEIGHT } from './host-facts.ts'
import type { PageApi, ToolPageJson } from './page-api.ts'
import type { PagePrompt } from './page-asks.tsx'
import type { Fields, RequestId } from './page-message.ts'
import { type Bridge, useBridge } from './use-bridge.ts'
import { useTheme } from './use-theme.ts'

export interface PageFrameProps {
  readonly page: ToolPageJson
  readonly api: PageApi
  readonly call: CallView
  readonly network: boolean
  readonly canSay: boolean
  readonly title: string
  /** It is removed once it has been notified. */
  readonly leaving: boolean
  readonly onAsk: (asked: PagePrompt) => void
  readonly onSession: (id: string) => void
  /** Context for the model with the next message; '' to clear it. */
  readonly onContext: (text: string) => void
  readonly onGone: () => void
}

const MIN_HEIGHT = 120

export function PageFrame(props: PageFrameProps) {
  const { page, call, network, canSay, leaving } = props
  const { locale } = usePreferences()
  const theme = useTheme()
  const frame = useRef<HTMLIFrameElement>(null)
  const [height, setHeight] = useState(0)
  const signal = useWhileMounted()
  const host = useMemo(
    () => hostFacts({ page, call, theme, locale, network, canSay }),
    [page, call, theme, locale, network, canSay],
  )
  const bridge = useBridge(frame, host, (wish, take) => {
    if (wish.type === 'size') setHeight(Math.min(Math.max(wish.height, MIN_HEIGHT), MAX_HEIGHT))
    else fulfil(wish, take, { ...props, signal })
  })
  const { take, leave } = bridge
  useEffect(() => take({ type: 'call', facts: factsOf(call) }), [take, call])
  useEffect(() => take({ type: 'context', change: changing({ theme, locale }) }), [take, theme, locale])
  useEffect(() => {
    if (leaving) leave()
  }, [leaving, leave])
  return (
    <iframe
      ref={frame}
      className="html-frame page-frame"
      title={props.title}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      src={addressOf(page, network)}
      style={height > 0 ? { flex: `0 1 ${height}px` } : undefined}
      onLoad={useFill(frame, page.html, bridge)}
    />
  )
}

/** Ends when the component does. */
function useWhileMounted(): AbortSignal {
  const [stop] = useState(() => new AbortController())
  useEffect(() => () => stop.abort(), [stop])
  return stop.signal
}

/** The frame's own page loads first and takes the text, which loads next. What loads after it is not the page any more. */
function useFill(
  frame: { readonly current: HTMLIFrameElement | null },
  html: string,
  { take }: Bridge,
): () => void {
  const loads = useRef(0)
  return () => {
    loads.current += 1
    if (loads.current === 1) frame.current?.contentWindow?.postMessage(html, '*')
    if (loads.current > 2) take({ type: 'lost' })
  }
}

function addressOf({ connect, load }: ToolPageJson, network: boolean): string {
  const query = new URLSearchParams({ scripts: '1' })
  if (network) {
    query.set('connect', connect.join(' '))
    query.set('load', load.join(' '))
  }
  return `/frame?${query}`
}

type Host = Pick<PageFrameProps, 'api' | 'canSay' | 'onAsk' | 'onSession' | 'onContext' | 'onGone'> & {
  readonly signal: AbortSignal
}

function fulfil(wish: BridgeEffect, take: Bridge['take'], host: Host): void {
  const { api, onAsk, onSession, signal } = host
  const answering = (id: RequestId, result: Promise<Fields>) =>
    void result.then(
      given => take({ type: 'answer', id, result: given }),
      (thrown: unknown) => take({ type: 'refuse', id, message: errorText(thrown) }),
    )
  const settle = (id: RequestId) => (granted: boolean) =>
    take({ type: 'answer', id, result: granted ? {} : { isError: true } })
  const call = async (name: string, given: Fields): Promise<Fields> => {
    const made = await api.call(name, given)
    onSession(made.session_id)
    return await followCall(client, made, signal)
  }
  switch (wish.type) {
    case 'call':
      answering(wish.id, call(wish.name, wish.arguments))
      break
    case 'read':
      answering(wish.id, api.read(wish.uri))
      break
    case 'link':
      onAsk({ type: 'link', text: wish.url, settle: settle(wish.id) })
      break
    case 'say':
      onAsk({ type: 'say', text: wish.text, settle: settle(wish.id) })
      break
    case 'context':
      if (host.canSay) host.onContext(wish.text)
      settle(wish.id)(host.canSay)
      break
    case 'save':
      onAsk({ type: 'save', files: wish.files, read: api.read, settle: settle(wish.id) })
      break
    case 'close':
      host.onGone()
      break
    case 'post':
    case 'size':
      break
  }
}

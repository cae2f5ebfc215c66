/**
 * Announces a pending item while its card is out of sight, and leads there. On a narrow screen the card itself is
 * shown here, above the composer: within reach of a thumb.
 */
import { Icon, ToolCallCard, useCall, usePending } from '@toolwire/react'
import { useEffect, useState } from 'react'
import { cardOf, revealCall, threadBox } from '../reveal-call.ts'
import { takeRevealTarget } from '../reveal-target.ts'
import { useStrings } from '../strings/use-strings.ts'
import { useNarrow } from '../use-narrow.ts'

export function WaitingBar() {
  const { t, a } = useStrings()
  const pending = usePending()
  const [first] = pending
  const seen = useInSight(first?.call)
  const narrow = useNarrow()
  useFocusOf(first?.call)
  useWanted(pending)
  if (!first || (seen && pending.length === 1)) return null
  const words =
    pending.length > 1
      ? a('chat.waiting', { n: pending.length })
      : t(`announce.${first.kind}`, { name: first.name })
  return (
    <>
      <div className="waiting-bar" data-kind={first.kind}>
        <Icon name={first.kind === 'client_tool' ? 'screen' : 'triangle'} />
        <span>{words}</span>
        <button type="button" className="button small" onClick={() => revealCall(first.call, true)}>
          {a('chat.show')}
        </button>
      </div>
      {narrow && !seen && (
        <div className="waiting-card">
          <CardOf call={first.call} />
        </div>
      )}
    </>
  )
}

function CardOf({ call }: { readonly call: string }) {
  const found = useCall(call)
  return found ? <ToolCallCard call={found} anchor={false} /> : null
}

/** Focuses a pending item, unless the focus is in use: a key meant for a text must not decide anything. */
function useFocusOf(call: string | undefined): void {
  useEffect(() => {
    const { activeElement } = document
    if (call !== undefined && (activeElement === null || activeElement === document.body))
      revealCall(call, true)
  }, [call])
}

/** Focuses the item of a clicked notification, whatever has the focus. */
function useWanted(pending: ReturnType<typeof usePending>): void {
  useEffect(() => {
    const wanted = pending.find(({ id }) => takeRevealTarget(id))
    if (wanted) revealCall(wanted.call, true)
  }, [pending])
}

/** Most of it, or as much as fits: on a phone the substitute card leaves little room. */
function isMostlySeen(entry: IntersectionObserverEntry | undefined): boolean {
  if (!entry?.isIntersecting) return false
  const { intersectionRatio, intersectionRect, rootBounds } = entry
  return intersectionRatio >= 0.6 || intersectionRect.height > 0.3 * (rootBounds?.height ?? 0)
}

const ASKING = '[data-tw-part="approval"], [data-tw-part="question"], [data-tw-part="client-call"]'

/** True if the controls of a call are visible in place. False for a card that a long list has unmounted. */
function useInSight(call: string | undefined): boolean {
  const [seen, setSeen] = useState(true)
  useEffect(() => {
    if (call === undefined) return
    const thread = threadBox()
    const observer = new IntersectionObserver(entries => setSeen(isMostlySeen(entries.at(-1))), {
      root: thread,
      threshold: [0, 0.15, 0.3, 0.45, 0.6, 0.75, 1],
    })
    let watched: HTMLElement | null | undefined
    // A long list makes and drops its rows as it is scrolled.
    const look = () => {
      const card = cardOf(call)
      if (card === watched) return
      watched = card
      observer.disconnect()
      setSeen(card !== null)
      // A card may be higher than the screen; what asks is its lower end.
      if (card) observer.observe(card.querySelector(ASKING) ?? card)
    }
    look()
    thread?.addEventListener('scroll', look, { passive: true })
    return () => {
      thread?.removeEventListener('scroll', look)
      observer.disconnect()
    }
  }, [call])
  return seen
}

/** Says that something waits while its card is out of sight, and leads there. */
import { Icon, usePending } from '@toolwire/react'
import { useEffect, useState } from 'react'
import { revealCall } from '../reveal-call.ts'
import { takeRevealTarget } from '../reveal-target.ts'
import { useWords } from '../strings/use-words.ts'

export function WaitingBar() {
  const { t, a } = useWords()
  const pending = usePending()
  const [first] = pending
  const seen = useInSight(first?.call)
  useFocusOf(first?.call)
  useWanted(pending)
  if (!first || (seen && pending.length === 1)) return null
  const words =
    pending.length > 1
      ? a('chat.waiting', { n: pending.length })
      : t(`announce.${first.kind}`, { name: first.name })
  return (
    <div className="waiting-bar" data-kind={first.kind}>
      <Icon name={first.kind === 'client_tool' ? 'screen' : 'triangle'} />
      <span>{words}</span>
      <button type="button" className="button small" onClick={() => revealCall(first.call, true)}>
        {a('chat.show')}
      </button>
    </div>
  )
}

/** What needs somebody gets the keyboard, unless that is in use: a key meant for a text must not decide anything. */
function useFocusOf(call: string | undefined): void {
  useEffect(() => {
    const { activeElement } = document
    if (call !== undefined && (activeElement === null || activeElement === document.body))
      revealCall(call, true)
  }, [call])
}

/** What a notification was clicked for gets the keyboard, whatever has it: that click was about nothing else. */
function useWanted(pending: ReturnType<typeof usePending>): void {
  useEffect(() => {
    const wanted = pending.find(({ id }) => takeRevealTarget(id))
    if (wanted) revealCall(wanted.call, true)
  }, [pending])
}

/** Whether most of a call's card is on the screen. A card that a long list has left out is not. */
function useInSight(call: string | undefined): boolean {
  const [seen, setSeen] = useState(true)
  useEffect(() => {
    const card = call === undefined ? null : document.getElementById(`call-${call}`)
    setSeen(card !== null)
    if (!card) return
    const observer = new IntersectionObserver(entries => setSeen(entries.at(-1)?.isIntersecting ?? false), {
      threshold: 0.6,
    })
    observer.observe(card)
    return () => observer.disconnect()
  }, [call])
  return seen
}

/** What a page would like and only a person can do: open an address, or take words over. One at a time. */
import { linkAddress } from '@toolwire/core/parts'
import { useCallback, useRef, useState } from 'react'
import { useWords } from '../strings/use-words.ts'

export interface Asked {
  readonly type: 'link' | 'say'
  /** The address, or the words. */
  readonly text: string
  /** What became of it. Later answers are dropped. */
  readonly settle: (granted: boolean) => void
}

/** The newest wish; one that it takes the place of is refused, as is what can never be granted. */
export function useAsked(canSay: boolean): {
  readonly asked: Asked | undefined
  readonly ask: (next: Asked) => void
  readonly settle: (granted: boolean) => void
} {
  const [asked, setAsked] = useState<Asked>()
  const latest = useRef<Asked>(undefined)
  const replace = useCallback((next: Asked | undefined, granted: boolean) => {
    latest.current?.settle(granted)
    latest.current = next
    setAsked(next)
  }, [])
  const ask = useCallback(
    (next: Asked) => {
      const isPossible = next.type === 'link' ? linkAddress(next.text) !== undefined : canSay
      if (isPossible) replace(next, false)
      else next.settle(false)
    },
    [canSay, replace],
  )
  const settle = useCallback((granted: boolean) => replace(undefined, granted), [replace])
  return { asked, ask, settle }
}

export interface PageAskProps {
  readonly asked: Asked
  readonly onSettle: (granted: boolean) => void
}

export function PageAsk({ asked, onSettle }: PageAskProps) {
  const { a, t } = useWords()
  const link = asked.type === 'link' ? linkAddress(asked.text) : undefined
  return (
    <div className="page-ask" role="alert" data-ask={asked.type}>
      <p>
        <strong>{link ? a('page.link', { host: link.host }) : a('page.say')}</strong>
        <code>{link?.href ?? asked.text}</code>
      </p>
      {link ? (
        <a
          className="button small primary"
          href={link.href}
          target="_blank"
          rel="noopener noreferrer nofollow"
          onClick={() => onSettle(true)}
        >
          {a('page.link_open')}
        </a>
      ) : (
        <button type="button" className="button small primary" onClick={() => onSettle(true)}>
          {a('page.say_use')}
        </button>
      )}
      <button type="button" className="button small" onClick={() => onSettle(false)}>
        {t('common.cancel')}
      </button>
    </div>
  )
}

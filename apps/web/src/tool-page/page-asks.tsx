/** Requests of a page that need the user: open an address, use a text, save files. One at a time. */
import { linkAddress } from '@toolwire/core/parts'
import { useCallback, useRef, useState } from 'react'
import { useStrings } from '../strings/use-strings.ts'
import { describeFile, type PageFile } from './page-file.ts'
import type { Fields } from './page-message.ts'
import { savePageFiles } from './save-page-files.ts'

export type PagePrompt = (
  | { readonly type: 'link' | 'say' /** The address, or the words. */; readonly text: string }
  | {
      readonly type: 'save'
      readonly files: readonly PageFile[]
      /** Reads a resource of the page's server. */
      readonly read: (uri: string) => Promise<Fields>
    }
) & {
  /** Reports the outcome. Later answers are dropped. */
  readonly settle: (granted: boolean) => void
}

/** The newest wish; one that it takes the place of is refused, as is what can never be granted. */
export function useAsked(canSay: boolean): {
  readonly asked: PagePrompt | undefined
  readonly ask: (next: PagePrompt) => void
  readonly settle: (granted: boolean) => void
} {
  const [asked, setAsked] = useState<PagePrompt>()
  const latest = useRef<PagePrompt>(undefined)
  const replace = useCallback((next: PagePrompt | undefined, granted: boolean) => {
    latest.current?.settle(granted)
    latest.current = next
    setAsked(next)
  }, [])
  const ask = useCallback(
    (next: PagePrompt) => {
      if (isPossible(next, canSay)) replace(next, false)
      else next.settle(false)
    },
    [canSay, replace],
  )
  const settle = useCallback((granted: boolean) => replace(undefined, granted), [replace])
  return { asked, ask, settle }
}

function isPossible(asked: PagePrompt, canSay: boolean): boolean {
  if (asked.type === 'save') return true
  return asked.type === 'say' ? canSay : linkAddress(asked.text) !== undefined
}

export interface PageAskProps {
  readonly asked: PagePrompt
  readonly onSettle: (granted: boolean) => void
}

export function PageAsk({ asked, onSettle }: PageAskProps) {
  const { t } = useStrings()
  return (
    <div className="page-ask" role="alert" data-ask={asked.type}>
      {asked.type === 'save' ? (
        <SaveAsk asked={asked} onSettle={onSettle} />
      ) : (
        <TextAsk asked={asked} onSettle={onSettle} />
      )}
      <button type="button" className="button small" onClick={() => onSettle(false)}>
        {t('common.cancel')}
      </button>
    </div>
  )
}

interface SaveAskProps extends PageAskProps {
  readonly asked: Extract<PagePrompt, { readonly type: 'save' }>
}

/** Every file by its name, and how large it is where that is known. */
function SaveAsk({ asked, onSettle }: SaveAskProps) {
  const { a } = useStrings()
  const [busy, setBusy] = useState(false)
  const save = () => {
    setBusy(true)
    void savePageFiles(asked.files, asked.read).then(
      () => onSettle(true),
      () => onSettle(false),
    )
  }
  return (
    <>
      <p>
        <strong>{a('page.save', { n: asked.files.length })}</strong>
        {asked.files.map((file, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name
          <code key={index}>{describeFile(file)}</code>
        ))}
      </p>
      <button type="button" className="button small primary" disabled={busy} onClick={save}>
        {a('page.save_do')}
      </button>
    </>
  )
}

interface TextAskProps extends PageAskProps {
  readonly asked: Extract<PagePrompt, { readonly text: string }>
}

function TextAsk({ asked, onSettle }: TextAskProps) {
  const { a } = useStrings()
  const link = asked.type === 'link' ? linkAddress(asked.text) : undefined
  return (
    <>
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
    </>
  )
}

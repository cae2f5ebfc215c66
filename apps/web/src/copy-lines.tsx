/** Lines to paste into a terminal, with a button that copies them. */
import { Icon } from '@toolwire/react'
import { useEffect, useState } from 'react'
import { useWords } from './strings/use-words.ts'

export function CopyLines({ lines }: { readonly lines: readonly string[] }) {
  const { t } = useWords()
  const [copied, setCopied] = useState(false)
  const text = lines.join('\n')
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [copied])
  // Without permission nothing is copied, and the button goes on saying so.
  const copy = () =>
    void navigator.clipboard?.writeText(text).then(
      () => setCopied(true),
      () => {},
    )
  const words = t(copied ? 'call.copied' : 'call.copy')
  return (
    <div className="copy-lines">
      <pre>{text}</pre>
      <button type="button" className="icon-button small" aria-label={words} title={words} onClick={copy}>
        <Icon name={copied ? 'check' : 'copy'} />
      </button>
    </div>
  )
}

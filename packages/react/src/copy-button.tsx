/** Copies a text and says so. */
import { useEffect, useState } from 'react'
import { Icon } from './icon.tsx'
import { useSessionContext } from './session-context.ts'

export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }) {
  const { t } = useSessionContext()
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [copied])
  // Without permission nothing is copied, and the button goes on saying "Copy".
  const copy = () =>
    void navigator.clipboard?.writeText(text).then(
      () => setCopied(true),
      () => {},
    )
  const words = t(copied ? 'call.copied' : 'call.copy')
  return (
    <button type="button" data-tw-part="copy" data-copied={copied} onClick={copy} title={label ?? words}>
      <Icon name={copied ? 'check' : 'copy'} />
      <span>{words}</span>
    </button>
  )
}

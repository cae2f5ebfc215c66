/** Lines to paste into a terminal, with a button that copies them. */
import { Icon, useCopy } from '@toolwire/react'
import { useStrings } from './strings/use-strings.ts'

export function CopyLines({ lines }: { readonly lines: readonly string[] }) {
  const { t } = useStrings()
  const text = lines.join('\n')
  const { copied, copy } = useCopy(text)
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

/** Copies a text and says so. */
import { useSessionContext } from '../session/session-context.ts'
import { Icon } from './icon.tsx'
import { useCopy } from './use-copy.ts'

export interface CopyButtonProps {
  /** A function is asked when the button is pressed: for what takes long to make. */
  readonly text: string | (() => string)
  readonly label?: string
}

/** Keeps the label "Copy" if the browser does not allow it. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const { t } = useSessionContext()
  const { copied, copy } = useCopy(text)
  const words = t(copied ? 'call.copied' : 'call.copy')
  return (
    <button type="button" data-tw-part="copy" data-copied={copied} onClick={copy} title={label ?? words}>
      <Icon name={copied ? 'check' : 'copy'} />
      <span>{words}</span>
    </button>
  )
}

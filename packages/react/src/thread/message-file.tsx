/** A file of a message that is no image. */
import { composerLabels, fileFacts } from '@toolwire/core/parts'
import { formatBytes } from '@toolwire/core/view'
import { useSessionContext } from '../session/session-context.ts'
import { Icon } from '../shared/icon.tsx'

export function MessageFile({ part }: { readonly part: Parameters<typeof fileFacts>[0] }) {
  const { t } = useSessionContext()
  const { name, bytes, problem } = fileFacts(part)
  return (
    <span data-tw-part="message-file" title={problem}>
      <Icon name="file" />
      <span data-tw-part="attachment-name">{name}</span>
      {bytes !== undefined && <span data-tw-part="attachment-size">{formatBytes(bytes, t.locale)}</span>}
      {problem !== undefined && <span data-tw-part="attachment-note">{composerLabels(t).not_shown}</span>}
    </span>
  )
}

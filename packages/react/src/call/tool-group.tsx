/** Finished look-ups in a row, as one line that opens. */
import { countNames } from '@toolwire/core/parts'
import { type CallView, formatDuration } from '@toolwire/core/view'
import { useSyncExternalStore } from 'react'
import { useSessionContext } from '../session/session-context.ts'
import { Icon } from '../shared/icon.tsx'
import { ToolCall } from './tool-call.tsx'

export function ToolGroup({ calls }: { readonly calls: readonly CallView[] }) {
  const { t, disclosure } = useSessionContext()
  const id = `group:${calls[0]?.id ?? ''}`
  const get = () => disclosure.chosen(id)
  const open = useSyncExternalStore(disclosure.subscribe, get, get) ?? disclosure.density === 'everything'
  const total = calls.reduce((ms, call) => ms + (call.duration_ms ?? 0), 0)
  return (
    <section data-tw-part="tool-group" data-open={open}>
      <button
        type="button"
        data-tw-part="tool-header"
        aria-expanded={open}
        onClick={() => disclosure.set(id, !open)}
      >
        <span data-tw-part="tool-icon">
          <Icon name="check" />
        </span>
        <span data-tw-part="tool-name">{t('call.group', { n: calls.length })}</span>
        <span data-tw-part="tool-title">{countNames(calls)}</span>
        <span data-tw-part="tool-status">
          <span data-tw-part="elapsed">{formatDuration(total, t.locale)}</span>
        </span>
        <span data-tw-part="tool-chevron">
          <Icon name="chevron" />
        </span>
      </button>
      {open && (
        <div data-tw-part="tool-group-body">
          {calls.map(call => (
            <ToolCall key={call.id} id={call.id} />
          ))}
        </div>
      )}
    </section>
  )
}

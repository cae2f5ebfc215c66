/** Filters of the inbox: by kind, by tool and by text. */
import type { InboxItem } from '@toolwire/react'
import { AppIcon } from '../app-icon.tsx'
import { useStrings } from '../strings/use-strings.ts'

const KINDS = ['approval', 'question', 'client_tool'] as const

/** '' is everything. */
export interface InboxFilter {
  readonly kind: '' | (typeof KINDS)[number]
  readonly tool: string
  readonly text: string
}

export const NO_FILTER: InboxFilter = { kind: '', tool: '', text: '' }

type Filterable = Pick<InboxItem, 'kind' | 'name' | 'input_text' | 'message'>

export function fitsFilter(item: Filterable, { kind, tool, text }: InboxFilter): boolean {
  if ((kind !== '' && item.kind !== kind) || (tool !== '' && item.name !== tool)) return false
  const wanted = text.trim().toLowerCase()
  return `${item.name} ${item.input_text} ${item.message ?? ''}`.toLowerCase().includes(wanted)
}

export interface InboxFiltersProps {
  readonly items: readonly InboxItem[]
  readonly value: InboxFilter
  readonly onChange: (filter: InboxFilter) => void
}

export function InboxFilters({ items, value, onChange }: InboxFiltersProps) {
  const { a } = useStrings()
  const tools = [...new Set(items.map(item => item.name))].sort()
  return (
    <div className="filters">
      <label className="search">
        <AppIcon name="search" />
        <input
          type="search"
          placeholder={a('inbox.search')}
          aria-label={a('inbox.search')}
          value={value.text}
          onChange={event => onChange({ ...value, text: event.target.value })}
        />
      </label>
      <select
        aria-label={a('inbox.kind')}
        value={value.kind}
        onChange={event => onChange({ ...value, kind: event.target.value as InboxFilter['kind'] })}
      >
        <option value="">{a('inbox.all_kinds')}</option>
        {KINDS.map(kind => (
          <option key={kind} value={kind}>
            {a(`inbox.${kind}`)}
          </option>
        ))}
      </select>
      <select
        aria-label={a('inbox.tool')}
        value={value.tool}
        onChange={event => onChange({ ...value, tool: event.target.value })}
      >
        <option value="">{a('inbox.all_tools')}</option>
        {tools.map(tool => (
          <option key={tool}>{tool}</option>
        ))}
      </select>
    </div>
  )
}

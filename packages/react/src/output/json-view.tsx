/** A value as text: simple objects as a table of names and values, everything else as indented JSON. */
import { flatRows, jsonText } from '@toolwire/core/parts'
import { useMemo } from 'react'
import type { FullView } from '../approval/use-asked.ts'
import { LongText } from './long-text.tsx'

export interface JsonViewProps {
  readonly value: unknown
  /** Shows all of a long text in its place, in place of a pane. */
  readonly asked?: FullView | undefined
}

export function JsonView({ value, asked }: JsonViewProps) {
  const rows = useMemo(() => flatRows(value), [value])
  if (typeof value === 'string') return <LongText text={value} name="value" asked={asked} />
  if (!rows) return <JsonLines value={value} />
  return (
    <table data-tw-part="fields">
      <tbody>
        {rows.map(([key, text]) => (
          <tr key={key}>
            <th scope="row">{key}</th>
            <td>{text}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function JsonLines({ value }: { readonly value: unknown }) {
  const { text, whole } = useMemo(() => jsonText(value), [value])
  return <LongText text={text} whole={whole} name="value" />
}

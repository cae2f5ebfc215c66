/** A value as text: simple objects as a table of names and values, everything else as indented JSON. */
import { flatRows, jsonText } from '@toolwire/core/parts'
import { useMemo } from 'react'
import { LongText } from './long-text.tsx'

export function JsonView({ value }: { readonly value: unknown }) {
  const rows = useMemo(() => flatRows(value), [value])
  if (typeof value === 'string') return <LongText text={value} name="value" />
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

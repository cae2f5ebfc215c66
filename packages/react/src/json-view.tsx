/** A value as text: simple objects as a table of names and values, everything else as indented JSON. */
import { flatRows } from '@toolwire/core/parts'
import { LongText } from './long-text.tsx'

export function JsonView({ value }: { readonly value: unknown }) {
  if (typeof value === 'string') return <LongText text={value} name="value" />
  const rows = flatRows(value)
  if (!rows) return <LongText text={JSON.stringify(value, null, 2) ?? ''} name="value" />
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

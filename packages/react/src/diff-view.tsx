/** A change, line by line. Signs and not only colours tell what is added and what is removed. */
import { shortLine } from '@toolwire/core/parts'
import type { DiffLine } from '@toolwire/core/view'
import { useState } from 'react'
import { useSessionContext } from './session-context.ts'

export interface DiffViewProps {
  readonly path: string
  readonly lines: readonly DiffLine[]
  readonly added: number
  readonly removed: number
}

/** Lines at first, and those that a click adds: a table of all lines of a large change takes seconds. */
const SHOWN = 60
const MORE = 1000
const SIGNS = { same: ' ', add: '+', remove: '−', gap: '⋯' } as const

export function DiffView({ path, lines, added, removed }: DiffViewProps) {
  const { t } = useSessionContext()
  const [count, setCount] = useState(SHOWN)
  const shown = lines.slice(0, count)
  return (
    <figure data-tw-part="diff">
      <figcaption>
        <span data-tw-part="path">{shortLine(path)}</span>
        <span data-tw-part="added">+{added}</span>
        <span data-tw-part="removed">−{removed}</span>
      </figcaption>
      <table>
        <tbody>
          {shown.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
            <tr key={index} data-line={line.type}>
              <td data-tw-part="line-number">{line.old_line}</td>
              <td data-tw-part="line-number">{line.new_line}</td>
              <td data-tw-part="line-sign">{SIGNS[line.type]}</td>
              <td data-tw-part="line-text">{shortLine(line.text)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {lines.length > shown.length && (
        <button type="button" data-tw-part="view-full" onClick={() => setCount(count + MORE)}>
          {t('call.view_full')} · {t('call.lines', { n: lines.length })}
        </button>
      )}
    </figure>
  )
}

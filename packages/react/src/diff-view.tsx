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

const SHOWN = 60
const SIGNS = { same: ' ', add: '+', remove: '−', gap: '⋯' } as const

export function DiffView({ path, lines, added, removed }: DiffViewProps) {
  const { t } = useSessionContext()
  const [all, setAll] = useState(false)
  const shown = all ? lines : lines.slice(0, SHOWN)
  return (
    <figure data-tw-part="diff">
      <figcaption>
        <span data-tw-part="path">{path}</span>
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
        <button type="button" data-tw-part="view-full" onClick={() => setAll(true)}>
          {t('call.view_full')} · {t('call.lines', { n: lines.length })}
        </button>
      )}
    </figure>
  )
}

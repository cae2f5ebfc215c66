/** A change, line by line. Signs, not only colors, mark added and removed lines. */
import {
  DIFF_HEAD,
  DIFF_MORE,
  DIFF_SIGNS,
  DIFF_TABLE,
  diffRows,
  diffText,
  hiddenLines,
  shortLine,
} from '@toolwire/core/parts'
import type { DiffLine } from '@toolwire/core/view'
import { useState } from 'react'
import type { FullView } from '../approval/use-asked.ts'
import { useSessionContext } from '../session/session-context.ts'
import { FullText } from './full-text.tsx'
import { ViewFull } from './view-full.tsx'

export interface DiffViewProps {
  readonly path: string
  readonly lines: readonly DiffLine[]
  readonly added: number
  readonly removed: number
  /** Shows all of it in its place at once. */
  readonly asked?: FullView | undefined
}

export function DiffView({ path, lines, added, removed, asked }: DiffViewProps) {
  const full = asked?.full === true
  return (
    <figure data-tw-part="diff">
      <figcaption>
        <span data-tw-part="path">{full ? path : shortLine(path)}</span>
        <span data-tw-part="added">+{added}</span>
        <span data-tw-part="removed">−{removed}</span>
      </figcaption>
      {full && lines.length > DIFF_TABLE ? (
        <FullText text={diffText(lines)} />
      ) : full ? (
        <Rows lines={lines} full />
      ) : (
        <Ends lines={lines} asked={asked} />
      )}
    </figure>
  )
}

/** Both ends of a change, and the number of lines between them. */
function Ends({ lines, asked }: Pick<DiffViewProps, 'lines' | 'asked'>) {
  const { t } = useSessionContext()
  const [count, setCount] = useState(DIFF_HEAD)
  const { head, hidden, tail } = diffRows(lines, count)
  return (
    <>
      <Rows lines={head} />
      {hidden > 0 && (
        <div data-tw-part="output-hidden">
          {hiddenLines(t, hidden)}
          <ViewFull onClick={asked?.showFull ?? (() => setCount(count + DIFF_MORE))} />
        </div>
      )}
      {hidden > 0 && <Rows lines={tail} />}
    </>
  )
}

function Rows({ lines, full = false }: { readonly lines: readonly DiffLine[]; readonly full?: boolean }) {
  return (
    <table>
      <tbody>
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
          <tr key={index} data-line={line.type}>
            <td data-tw-part="line-number">{line.old_line}</td>
            <td data-tw-part="line-number">{line.new_line}</td>
            <td data-tw-part="line-sign">{DIFF_SIGNS[line.type]}</td>
            <td data-tw-part="line-text">{full ? line.text : shortLine(line.text)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

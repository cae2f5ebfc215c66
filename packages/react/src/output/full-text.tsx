/** All of a text in its place, in pieces of which the browser lays out those that are in sight. */
import { paneText, pieceRuns } from '@toolwire/core/parts'
import { useMemo } from 'react'

export function FullText({ text }: { readonly text: string }) {
  const { pieces } = useMemo(() => paneText(text, false), [text])
  return (
    <div data-tw-part="full-text">
      {pieces.map(piece => (
        <pre key={piece.from} data-tw-part="output">
          {pieceRuns(piece).map(run => run.text)}
        </pre>
      ))}
    </div>
  )
}

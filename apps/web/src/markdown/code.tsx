/** Source code in colours. Plain text until the highlighter has been loaded, and for languages it does not know. */
import type { CodeProps } from '@toolwire/react'
import { type CSSProperties, useEffect, useRef, useState } from 'react'
import type { HighlightedLines } from './highlight.ts'

/** Colours are a comfort; beyond this they cost more than they give. */
const MAX = 40_000
/** Code that changes is coloured when it has rested this long: it is still being written. */
const REST_MS = 200

export function Code({ code, lang }: CodeProps) {
  const [lines, setLines] = useState<HighlightedLines | undefined>(undefined)
  const drawn = useRef(false)
  useEffect(() => {
    setLines(undefined)
    if (lang === '' || code.length > MAX) return
    let over = false
    const colour = async () => {
      const { highlight } = await import('./highlight.ts')
      const made = await highlight(code, lang, () => over)
      if (!over) setLines(made)
    }
    // Without colours the code is still readable.
    const begin = () => void colour().catch(() => {})
    const timer = drawn.current ? setTimeout(begin, REST_MS) : undefined
    if (!drawn.current) begin()
    drawn.current = true
    return () => {
      over = true
      clearTimeout(timer)
    }
  }, [code, lang])
  if (!lines) return <code>{code}</code>
  return (
    <code data-highlighted="true">
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
        <Line key={index} line={line} last={index === lines.length - 1} />
      ))}
    </code>
  )
}

function Line({ line, last }: { readonly line: HighlightedLines[number]; readonly last: boolean }) {
  return (
    <>
      {line.map((token, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no identity but their place
          key={index}
          style={{ '--light': token.light, '--dark': token.dark } as CSSProperties}
        >
          {token.text}
        </span>
      ))}
      {!last && '\n'}
    </>
  )
}

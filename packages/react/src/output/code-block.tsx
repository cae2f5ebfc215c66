/** A block of code in a text, with its language and a button to copy it. */
import { useSessionContext } from '../session/session-context.ts'
import { CopyButton } from '../shared/copy-button.tsx'

export interface CodeBlockProps {
  readonly code: string
  readonly lang: string
  /** More lines may come. */
  readonly open: boolean
}

/** Drawn by the page's own `code` once it is complete. */
export function CodeBlock({ code, lang, open }: CodeBlockProps) {
  const { Code } = useSessionContext()
  return (
    <figure data-tw-part="code-block">
      <figcaption>
        <span>{lang}</span>
        {!open && <CopyButton text={code} />}
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines must be scrollable by keyboard */}
      <pre tabIndex={0}>{open ? <code>{code}</code> : <Code code={code} lang={lang} />}</pre>
    </figure>
  )
}

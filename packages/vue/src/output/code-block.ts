/** A block of code in a text, with its language and a button to copy it. */
import { defineComponent } from 'vue'
import { useSessionContext } from '../session/session-context.ts'
import { CopyButton } from '../shared/copy-button.ts'
import { h } from '../shared/h.ts'

export interface CodeBlockProps {
  readonly code: string
  readonly lang: string
  /** More lines may come. */
  readonly open: boolean
}

/** Drawn by the page's own `code` once it is complete. */
export const CodeBlock = defineComponent(
  (props: CodeBlockProps) => {
    const { Code } = useSessionContext()
    return () => {
      const { code, lang, open } = props
      return h('figure', { 'data-tw-part': 'code-block' }, [
        h('figcaption', [h('span', lang), open ? null : h(CopyButton, { text: code })]),
        // Long lines must be scrollable by keyboard.
        h('pre', { tabindex: 0 }, [open ? h('code', code) : h(Code.value, { code, lang })]),
      ])
    }
  },
  { name: 'CodeBlock', props: ['code', 'lang', 'open'] },
)

/** Text and code as they are: what the parts use until a page brings its own Markdown and colours. */
import { defineComponent, h } from 'vue'

/** Paragraphs at blank lines; line breaks are kept. Never makes HTML out of the text. */
export const PlainText = defineComponent(
  (props: { readonly text: string; readonly streaming?: boolean }) => () =>
    props.text
      .split(/\n{2,}/)
      .filter(part => part.trim() !== '')
      .map((part, index) => h('p', { key: index, 'data-tw-part': 'paragraph' }, part)),
  { name: 'PlainText', props: ['text', 'streaming'] },
)

export const PlainCode = defineComponent(
  (props: { readonly code: string; readonly lang?: string }) => () => h('code', props.code),
  { name: 'PlainCode', props: ['code', 'lang'] },
)

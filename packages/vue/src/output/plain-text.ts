/** Text and code as they are: what the parts use until a page brings its own Markdown and colours. */
import { fencedCode } from '@toolwire/core/parts'
import { MarkdownBlocks } from '@toolwire/core/view'
import { computed, defineComponent } from 'vue'
import { h } from '../shared/h.ts'
import { CodeBlock } from './code-block.ts'

/** Paragraphs, and fenced code as separate blocks; line breaks are kept. Never makes HTML out of the text. */
export const PlainText = defineComponent(
  (props: { readonly text: string; readonly streaming?: boolean }) => {
    const splitter = new MarkdownBlocks()
    const blocks = computed(() => splitter.update(props.text))
    return () =>
      blocks.value.map(block =>
        block.kind === 'code'
          ? h(CodeBlock, {
              key: block.key,
              ...fencedCode(block),
              open: props.streaming === true && block.open,
            })
          : h('p', { key: block.key, 'data-tw-part': 'paragraph' }, block.raw.trimEnd()),
      )
  },
  { name: 'PlainText', props: ['text', 'streaming'] },
)

export const PlainCode = defineComponent(
  (props: { readonly code: string; readonly lang?: string }) => () => h('code', props.code),
  { name: 'PlainCode', props: ['code', 'lang'] },
)

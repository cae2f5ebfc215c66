/** All of a text in its place, in pieces of which the browser lays out those that are in sight. */
import { paneText, pieceRuns } from '@toolwire/core/parts'
import { computed, defineComponent } from 'vue'
import { h } from '../shared/h.ts'

export const FullText = defineComponent(
  (props: { readonly text: string }) => {
    const pane = computed(() => paneText(props.text, false))
    return () =>
      h(
        'div',
        { 'data-tw-part': 'full-text' },
        pane.value.pieces.map(piece =>
          h(
            'pre',
            { key: piece.from, 'data-tw-part': 'output' },
            pieceRuns(piece)
              .map(run => run.text)
              .join(''),
          ),
        ),
      )
  },
  { name: 'FullText', props: ['text'] },
)

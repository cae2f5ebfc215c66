/** The whole text in a separate pane, with a search in it. */
import {
  ansiNames,
  exactColours,
  fileNameOf,
  foundWords,
  isComposing,
  marksByPiece,
  type PanePiece,
  type PaneRun,
  type PaneText,
  type PieceMarks,
  paneText,
  partLabels,
  pieceRuns,
  type SearchState,
  TextSearch,
} from '@toolwire/core/parts'
import {
  computed,
  defineComponent,
  onScopeDispose,
  type ShallowRef,
  shallowRef,
  type VNode,
  watch,
} from 'vue'
import { useSessionContext } from '../session/session-context.ts'
import { CopyButton } from '../shared/copy-button.ts'
import { h } from '../shared/h.ts'
import { icon } from '../shared/icon.ts'

export interface OutputPaneProps {
  /** Asked when the pane is opened. */
  readonly text: () => string
  /** Draws the colours of a terminal. */
  readonly ansi?: boolean
  /** Its title, and the name of the file when it is saved. */
  readonly name: string
}

/** A button that shows all of a text. Its content exists only while it is open, and is that of the moment in which it was opened. */
export const OutputPane = defineComponent(
  (props: OutputPaneProps) => {
    const { t } = useSessionContext()
    const dialog = shallowRef<HTMLDialogElement | null>(null)
    const held = shallowRef<string | undefined>(undefined)
    const wrap = shallowRef(true)
    const pane = computed(() =>
      held.value === undefined ? undefined : paneText(held.value, props.ansi === true),
    )
    const search = computed(() => pane.value && new TextSearch(pane.value.shown))
    const show = () => {
      held.value = props.text()
      dialog.value?.showModal()
    }
    const onClose = () => {
      held.value = undefined
    }
    const wrapButton = () =>
      h(
        'button',
        {
          type: 'button',
          'data-tw-part': 'wrap',
          'aria-pressed': wrap.value,
          onClick: () => {
            wrap.value = !wrap.value
          },
        },
        partLabels(t.value).wrap,
      )
    const head = () =>
      h('header', [
        h('strong', props.name),
        h('span', t.value('call.lines', { n: pane.value?.lines ?? 0 })),
        search.value ? h(Find, { search: search.value }) : null,
        search.value ? wrapButton() : null,
        h(CopyButton, { text: held.value ?? props.text }),
        h(
          'button',
          {
            type: 'button',
            'data-tw-part': 'download',
            onClick: () => save(held.value ?? props.text(), props.name),
          },
          [icon('download'), h('span', t.value('call.download'))],
        ),
        h(
          'button',
          {
            type: 'button',
            'data-tw-part': 'close',
            'aria-label': t.value('common.close'),
            onClick: () => dialog.value?.close(),
          },
          [icon('close')],
        ),
      ])
    return () => [
      h('button', { type: 'button', 'data-tw-part': 'view-full', onClick: show }, t.value('call.view_full')),
      h('dialog', { ref: dialog, 'data-tw-part': 'output-pane', 'aria-label': props.name, onClose }, [
        head(),
        pane.value && search.value
          ? h(Pieces, {
              pane: pane.value,
              search: search.value,
              ansi: props.ansi === true,
              wrap: wrap.value,
            })
          : null,
      ]),
    ]
  },
  { name: 'OutputPane', props: ['text', 'ansi', 'name'] },
)

function save(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = url
  link.download = fileNameOf(name)
  link.click()
  URL.revokeObjectURL(url)
}

function useSearch(search: () => TextSearch): Readonly<ShallowRef<SearchState>> {
  const state = shallowRef(search().getSnapshot())
  let leave = () => {}
  watch(
    search,
    now => {
      leave()
      state.value = now.getSnapshot()
      leave = now.subscribe(() => {
        state.value = now.getSnapshot()
      })
    },
    { immediate: true },
  )
  onScopeDispose(() => leave())
  return state
}

const Find = defineComponent(
  (props: { readonly search: TextSearch }) => {
    const { t } = useSessionContext()
    const state = useSearch(() => props.search)
    const onKeydown = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || isComposing(event)) return
      event.preventDefault()
      props.search.go(event.shiftKey ? -1 : 1)
    }
    const onInput = (event: Event) => void props.search.look((event.target as HTMLInputElement).value)
    return () => {
      const words = partLabels(t.value)
      const disabled = state.value.count === 0
      return h('div', { 'data-tw-part': 'find', 'aria-busy': state.value.searching }, [
        h('input', {
          type: 'search',
          'aria-label': words.find,
          placeholder: words.find,
          value: state.value.wanted,
          onInput,
          onKeydown,
        }),
        h('output', { 'data-tw-part': 'find-count' }, foundWords(state.value)),
        h(
          'button',
          {
            type: 'button',
            'data-tw-part': 'find-previous',
            'aria-label': words.previous,
            disabled,
            onClick: () => props.search.go(-1),
          },
          [icon('chevron')],
        ),
        h(
          'button',
          {
            type: 'button',
            'data-tw-part': 'find-next',
            'aria-label': words.next,
            disabled,
            onClick: () => props.search.go(1),
          },
          [icon('chevron')],
        ),
      ])
    }
  },
  { name: 'Find', props: ['search'] },
)

interface PiecesProps {
  readonly pane: PaneText
  readonly search: TextSearch
  readonly ansi: boolean
  readonly wrap: boolean
}

const Pieces = defineComponent(
  (props: PiecesProps) => {
    const state = useSearch(() => props.search)
    const marks = computed(() => marksByPiece(props.pane.pieces, state.value))
    const place = shallowRef<HTMLDivElement | null>(null)
    watch(
      () => state.value.matches[state.value.at],
      current => {
        if (current === undefined) return
        place.value?.querySelector('[data-current="true"]')?.scrollIntoView({ block: 'center' })
      },
      { flush: 'post' },
    )
    return () =>
      h(
        'div',
        { ref: place, 'data-tw-part': 'output-pieces', 'data-wrap': props.wrap },
        props.pane.pieces.map((piece, index) =>
          h(Piece, { key: piece.from, piece, ansi: props.ansi, marks: marks.value.get(index) }),
        ),
      )
  },
  { name: 'Pieces', props: ['pane', 'search', 'ansi', 'wrap'] },
)

interface PieceProps {
  readonly piece: PanePiece
  readonly ansi: boolean
  readonly marks: PieceMarks | undefined
}

const Piece = defineComponent(
  (props: PieceProps) => () =>
    h(
      'pre',
      { 'data-tw-part': 'output' },
      pieceRuns(props.piece, props.marks).map((run, index) =>
        run.found || props.ansi ? drawRun(run, index) : run.text,
      ),
    ),
  { name: 'Piece', props: ['piece', 'ansi', 'marks'] },
)

function drawRun({ span, text, found }: PaneRun, key: number): VNode {
  const style = exactColours(span)
  const colours = { key, 'data-ansi': ansiNames(span), ...(style ? { style } : {}) }
  return found
    ? h('mark', { 'data-tw-part': 'found', 'data-current': found === 'current', ...colours }, text)
    : h('span', colours, text)
}

/** The assistant's text, and thinking behind a line that opens. */
import type { BlockView } from '@toolwire/core/view'
import { LongText } from '../output/long-text.tsx'
import { useSessionContext } from '../session/session-context.ts'
import { Icon } from '../shared/icon.tsx'
import { contentOf, type PartContent } from '../shared/part-content.ts'

export interface TextBlockProps {
  readonly block: BlockView
  /** In place of the block's own content; a function gets the block. */
  readonly children?: PartContent<BlockView>
}

/** Drawn by the page's own `text`, which must not trust it. */
export function TextBlock({ block, children }: TextBlockProps) {
  const { Text } = useSessionContext()
  return (
    <div data-tw-part="text" data-state={block.state} data-tw-state={block.state}>
      {contentOf(children, block, () => (
        <Text text={block.text} streaming={block.state === 'streaming'} />
      ))}
    </div>
  )
}

/** Longer thinking is drawn in part, with a pane for the rest. */
const WHOLE = 20_000

/** Folded by default. */
export function ThinkingBlock({ block, children }: TextBlockProps) {
  const { t } = useSessionContext()
  return (
    <details
      data-tw-part="thinking"
      id={block.call === undefined ? undefined : `call-${block.call}`}
      data-state={block.state}
      data-tw-state={block.state}
    >
      {contentOf(children, block, () => (
        <>
          <summary>
            <Icon name="think" />
            {t('message.thinking')}
          </summary>
          {block.text.length > WHOLE ? (
            <LongText text={block.text} name={t('message.thinking')} />
          ) : (
            <p>{block.text}</p>
          )}
        </>
      ))}
    </details>
  )
}

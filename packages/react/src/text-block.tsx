/** What the assistant wrote: text, and thinking behind a line that opens. */
import type { BlockView } from '@toolwire/core/view'
import { Icon } from './icon.tsx'
import { contentOf, type PartContent } from './part-content.ts'
import { useSessionContext } from './session-context.ts'

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

/** Folded until somebody opens it. */
export function ThinkingBlock({ block, children }: TextBlockProps) {
  const { t } = useSessionContext()
  return (
    <details data-tw-part="thinking" data-state={block.state} data-tw-state={block.state}>
      {contentOf(children, block, () => (
        <>
          <summary>
            <Icon name="think" />
            {t('message.thinking')}
          </summary>
          <p>{block.text}</p>
        </>
      ))}
    </details>
  )
}

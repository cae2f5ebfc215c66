import { Script } from '../../core/test/view/script.ts'
import { createStickerRequestTool } from '../../tools/src/builtin/sticker-request.ts'

/** A session that waits for the sticker form, as the real tool shows it. */
export function askForStickers(): Script {
  const input = { trigger: 'stickers please' }
  const view = createStickerRequestTool().view?.(input) ?? {}
  return new Script()
    .created()
    .ask('stickers please')
    .turn('m1')
    .call('m1', 0, 's1', { name: 'StickerRequest', input, client: true, view })
    .add('tool.client_requested', {
      call_id: 's1',
      name: 'StickerRequest',
      input_text: JSON.stringify(input),
    })
}

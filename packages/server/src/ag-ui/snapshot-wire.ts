/** A run that ends with the messages of the log: they replace what the page made up itself. */
import { endsRun } from '@toolwire/core'
import { createAgUiFold, type Wire } from '@toolwire/wire'

export const withSnapshot = (wire: Wire, session: string): Wire => ({
  id: wire.id,
  open(context) {
    const step = wire.open(context)
    const fold = createAgUiFold(session)
    return rec => {
      const frames = step(rec)
      fold.step(rec)
      if (!endsRun(rec.ev.type) || frames.length === 0) return frames
      const snapshot = { data: JSON.stringify({ type: 'MESSAGES_SNAPSHOT', messages: fold.messages() }) }
      return [...frames.slice(0, -1), snapshot, ...frames.slice(-1)]
    }
  },
})

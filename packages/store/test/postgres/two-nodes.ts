/** Two stores on one database as one: what the first writes is read through the second, as on another node. */
import type { Store } from '@toolwire/core'

/** Closing closes both. */
export function readElsewhere(writer: Store, reader: Store): Store {
  return {
    append: writes => writer.append(writes),
    read: (session, after, max) => reader.read(session, after, max),
    claim: request => writer.claim(request),
    watch: hint => writer.watch(hint),
    list: query => reader.list(query),
    remove: session => writer.remove(session),
    prune: options => writer.prune(options),
    stats: () => reader.stats(),
    close: async () => {
      await Promise.all([writer.close(), reader.close()])
    },
  }
}

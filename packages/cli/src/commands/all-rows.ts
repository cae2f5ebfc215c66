/** Every session of a store, last updated first. */
import type { SessionRow, Store } from '@toolwire/core'

const PAGE = 100

export async function allRows(store: Store): Promise<readonly SessionRow[]> {
  const rows: SessionRow[] = []
  for (let after: string | undefined; ; ) {
    const page = await store.list({ limit: PAGE, ...(after === undefined ? {} : { after }) })
    rows.push(...page.items)
    if (page.next === null) return rows
    after = page.next
  }
}

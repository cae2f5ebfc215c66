/**
 * Imported before a server starts: makes it the program of the next version, whose schema has one more entry.
 * TOOLWIRE_TEST_WORKS_WITH names the program that can still work with that entry.
 */
import { registerHooks } from 'node:module'

const ENTRY = `  { worksWith: ${Number(process.env['TOOLWIRE_TEST_WORKS_WITH'] ?? 1)},
    sql: 'alter table toolwire.session add column of_the_next_version text; alter table toolwire.chunk add column of_the_next_version text' },
]`

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.endsWith('/postgres/migrations.ts')) return loaded
    const source = String(loaded.source)
    return { ...loaded, source: source.slice(0, source.lastIndexOf(']')) + ENTRY }
  },
})

/**
 * Writes the digest of each English page into its Chinese page: run it when a translation matches its source again.
 * `node --conditions=toolwire-source scripts/mark-translations.ts concepts start`
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DOCS, hashOf, readPage } from '../apps/docs/src/pages.ts'

for (const page of process.argv.slice(2)) {
  const path = join(DOCS, `zh/${page}.md`)
  writeFileSync(path, `---\nsource_hash: ${hashOf(page)}\n---\n\n${readPage(`zh/${page}`)}`)
  console.log(`${path}: ${/^source_hash: .*$/m.exec(readFileSync(path, 'utf8'))?.[0]}`)
}

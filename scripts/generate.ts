/**
 * Files that are computed from the sources: the event schema, the error table and the table of tools.
 * `node scripts/generate.ts` writes them; with `--check` it only fails when one is out of date.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { ERRORS } from '@toolwire/core'
import { SessionEvent } from '@toolwire/core/schema'
import { createBuiltinTools, renderToolsDoc } from '@toolwire/runtime'
import { z } from 'zod'

const files: Readonly<Record<string, () => string>> = {
  'schema/event.schema.json': () =>
    `${JSON.stringify(z.toJSONSchema(SessionEvent, { target: 'draft-2020-12' }), null, 2)}\n`,
  'docs/errors.md': errorsDoc,
  'docs/tools.md': () =>
    renderToolsDoc(
      createBuiltinTools({
        memory: { folder: 'memory' },
        architect: {},
        web_search: { searxng: { url: 'http://127.0.0.1' } },
      }),
    ),
}

function errorsDoc(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, retryable, meaning }]) =>
      `| \`${code}\` | ${status} | ${retryable ? 'yes' : 'no'} | ${meaning} |`,
  )
  return [
    '# Errors',
    '',
    'Every refusal has one of these codes. The session API answers',
    '`{"error":{"code","message","retryable","request_id","details"?}}`; the other wires carry the same code in their own shape.',
    'This page is generated from `packages/core/src/errors.ts`.',
    '',
    '| code | HTTP status | retryable | meaning |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

const check = process.argv.includes('--check')
let stale = 0
for (const [path, make] of Object.entries(files)) {
  const text = make()
  const current = existsSync(path) ? readFileSync(path, 'utf8') : undefined
  if (current === text) continue
  stale += 1
  if (check) console.error(`${path} is out of date: run "npm run generate" and commit it`)
  else {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    console.log(`wrote ${path}`)
  }
}
process.exit(check && stale > 0 ? 1 : 0)

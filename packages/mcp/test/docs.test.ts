import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseMcpServers } from '../src/server-config.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/mcp.md'), 'utf8')
const blocks = [...PAGE.matchAll(/^```json\n(.*?)^```$/gms)].map(
  match => JSON.parse(match[1] ?? '') as { readonly mcpServers?: object },
)

test('every configuration of the documentation is valid', () => {
  const env = { SEARCH_KEY: 'a', CLIENT_SECRET: 'b', ROBOT_SECRET: 'c' }
  const configs = blocks.flatMap(block => (block.mcpServers ? [block.mcpServers] : []))
  expect(configs).toHaveLength(2)
  for (const config of configs) {
    const { servers, problems } = parseMcpServers(config, env)
    expect(problems).toEqual([])
    expect(Object.keys(servers)).toEqual(Object.keys(config).filter(name => name !== 'old'))
  }
})

test('every field of a server is documented', () => {
  const [first] = blocks
  const fields = new Set(
    Object.values(first?.mcpServers ?? {}).flatMap(entry => Object.keys(entry as object)),
  )
  for (const field of [...fields, 'startup_timeout_ms', 'max_total_ms', 'hold_ms', 'sampling', 'oauth'])
    if (field !== 'type') expect(PAGE).toContain(`\`${field}\``)
})

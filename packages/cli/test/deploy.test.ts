/** The deployment examples name what the product has. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')
const read = (name: string): string => readFileSync(join(ROOT, 'deploy', name), 'utf8')

test('the examples start the real program and name only variables that it reads', () => {
  const known = readFileSync(join(ROOT, 'packages/cli/src/config.ts'), 'utf8')
  for (const name of ['compose.yaml', 'toolwire@.service']) {
    const text = read(name)
    expect(text).toContain('packages/cli/src/main.ts')
    for (const [variable] of text.matchAll(/\bTOOLWIRE_[A-Z_]+\b/g)) expect(known).toContain(`'${variable}'`)
  }
})

test('the balancers pass event streams unbuffered and know both servers', () => {
  const nginx = read('nginx.conf')
  for (const line of ['proxy_buffering off', 'proxy_http_version 1.1', 'proxy_set_header Host $http_host'])
    expect(nginx).toContain(line)
  expect(nginx.match(/server toolwire(-2)?:8000/g)).toHaveLength(2)
  expect(nginx.split('{')).toHaveLength(nginx.split('}').length)
  expect(read('Caddyfile')).toContain('flush_interval -1')
})

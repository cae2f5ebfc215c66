/** The deployment examples are well-formed and name what the product has. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readPlainYaml, type YamlMap } from './plain-yaml.ts'

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

const mapOf = (value: YamlMap[string] | undefined): YamlMap =>
  typeof value === 'object' && !Array.isArray(value) ? (value as YamlMap) : {}

test('the compose file is well-formed, and every service, volume and file that it refers to is there', () => {
  const compose = readPlainYaml(read('compose.yaml'))
  const services = mapOf(compose['services'])
  const volumes = Object.keys(mapOf(compose['volumes']))
  expect(Object.keys(services)).toEqual(['database', 'toolwire', 'toolwire-2', 'nginx'])
  expect(services['toolwire-2']).toEqual(services['toolwire'])
  for (const service of Object.values(services).map(mapOf)) {
    expect(service['image']).toMatch(/^[\w./-]+:\d+$/)
    const needed = service['depends_on'] ?? []
    const names = Array.isArray(needed) ? needed : Object.keys(needed)
    for (const name of names) expect(Object.keys(services)).toContain(name)
    for (const mount of (service['volumes'] as readonly string[] | undefined) ?? []) {
      const [from = ''] = mount.split(':')
      if (from.startsWith('.')) expect(existsSync(join(ROOT, 'deploy', from))).toBe(true)
      else expect(volumes).toContain(from)
    }
  }
  const upstreams = [...read('nginx.conf').matchAll(/server (toolwire[\w-]*):/g)].map(([, name]) => name)
  for (const name of upstreams) expect(Object.keys(services)).toContain(name)
  // The grace that a stopping container gets covers that of the server.
  expect(Number.parseInt(String(mapOf(services['toolwire'])['stop_grace_period']), 10)).toBeGreaterThan(10)
})

test('the reader of the compose file refuses what is crooked', () => {
  for (const text of ['a:\n   b: 1', 'a: 1\na: 2', 'a:\n\tb: 1', 'a:\n  <<: *nobody', 'just words'])
    expect(() => readPlainYaml(text)).toThrow()
})

test('the unit has its sections, and the grace of the server fits into that of the unit', () => {
  const unit = read('toolwire@.service')
  const lines = unit.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  for (const line of lines) expect(line).toMatch(/^\[\w+\]$|^[A-Z][A-Za-z]+=\S/)
  expect(lines.filter(line => line.startsWith('['))).toEqual(['[Unit]', '[Service]', '[Install]'])
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(10)
  expect(unit).toContain('KillSignal=SIGTERM')
})

const ANALYZE = '/usr/bin/systemd-analyze'
if (existsSync(ANALYZE))
  test('systemd itself finds nothing wrong with the unit', () => {
    const dir = mkdtempSync(join(tmpdir(), 'toolwire-unit-'))
    try {
      // An instance of it, with a program that this machine has.
      const file = join(dir, 'toolwire@8001.service')
      writeFileSync(
        file,
        read('toolwire@.service').replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`),
      )
      const said = execFileSync(ANALYZE, ['verify', '--recursive-errors=no', file], {
        encoding: 'utf8',
        stdio: 'pipe',
      })
      expect(said).toBe('')
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  })

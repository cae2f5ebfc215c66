/** Publishing against a registry on this machine: in order, resumable, and never over other contents. */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openRegistry } from '../local-registry.ts'
import { digestsOf, publishAll } from '../release.ts'
import { notesOf } from '../release-notes.ts'
import { createSbom } from '../sbom.ts'
import { npmEnvironment } from '../stage-packages.ts'

let work = ''
beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), 'release-'))
})
afterAll(() => rmSync(work, { recursive: true, force: true }))

function pack(name: string, text = 'hello') {
  const folder = mkdtempSync(join(work, 'package-'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '1.2.3' }))
  writeFileSync(join(folder, 'index.js'), text)
  const output = execFileSync('npm', ['pack', '--json', '--ignore-scripts'], {
    cwd: folder,
    env: npmEnvironment(),
  })
  const [packed] = Object.values(JSON.parse(output.toString())) as { filename: string; integrity: string }[]
  if (!packed) throw new Error('nothing packed')
  return { name, version: '1.2.3', tarball: join(folder, packed.filename), integrity: packed.integrity }
}

/** A token is asked for by npm before it sends anything; this registry takes any. */
const envOf = (url: string): NodeJS.ProcessEnv => ({
  ...npmEnvironment(),
  npm_config_registry: url,
  [`npm_config_//${url.slice('http://'.length)}/:_authToken`]: 'any',
  npm_config_cache: join(work, 'cache'),
  npm_config_fetch_retries: '0',
})

test('a release that stops midway is continued, in order and without doing anything twice', async () => {
  const packages = ['release-a', 'release-b', 'release-c'].map(name => pack(name))
  let isBroken = true
  const registry = await openRegistry({ accepts: name => !(isBroken && name === 'release-b') })
  try {
    const lines: string[] = []
    const options = {
      packages,
      flags: ['--provenance=false'],
      env: envOf(registry.url),
      report: (line: string) => lines.push(line),
    }
    await expect(publishAll(options)).rejects.toThrow('npm publish')
    expect(registry.published).toEqual(['release-a@1.2.3'])
    isBroken = false
    await publishAll(options)
    expect(registry.published).toEqual(['release-a@1.2.3', 'release-b@1.2.3', 'release-c@1.2.3'])
    expect(lines).toEqual([
      'published release-a@1.2.3',
      'release-a@1.2.3 is there already',
      'published release-b@1.2.3',
      'published release-c@1.2.3',
    ])
  } finally {
    await registry.close()
  }
})

test('a version that is published with other contents stops the release', async () => {
  const registry = await openRegistry({})
  try {
    const options = { flags: ['--provenance=false'], env: envOf(registry.url), report: () => {} }
    await publishAll({ ...options, packages: [pack('release-d')] })
    await expect(
      publishAll({ ...options, packages: [pack('release-d', 'other'), pack('release-e')] }),
    ).rejects.toThrow('release-d@1.2.3 is published with other contents')
    expect(registry.published).toEqual(['release-d@1.2.3'])
  } finally {
    await registry.close()
  }
})

test('a registry that cannot be asked stops the release before anything is published', async () => {
  const registry = await openRegistry({})
  await registry.close()
  const options = { packages: [pack('release-f')], env: envOf(registry.url), report: () => {} }
  await expect(publishAll(options)).rejects.toThrow('npm view')
})

test('digests are in the form of sha256sum', () => {
  const { tarball } = pack('release-g')
  writeFileSync(join(tarball, '../SHA256SUMS'), digestsOf([tarball]))
  const output = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], {
    cwd: join(tarball, '..'),
    encoding: 'utf8',
  })
  expect(output).toContain(': OK')
})

test('the notes of a release are its part of the changelog', () => {
  const changelog = '# Changelog\n\n## Unreleased\n\n- new\n\n## 1.0.0\n\n### A\n\n- old\n'
  expect(notesOf(changelog, '1.0.0')).toBe('### A\n\n- old')
  expect(notesOf(changelog, '1.1.0')).toBe('- new')
  expect(() => notesOf('# Changelog\n\n## Unreleased\n\n## 1.0.0\n', '1.1.0')).toThrow(
    'says nothing about 1.1.0',
  )
})

test('the bill of materials names what is inside of the bundle, and is the same for the same release', () => {
  const shipped = [
    { name: 'zod', version: '4.6.7', licence: 'MIT', folder: 'node_modules/zod' },
    {
      name: '@scope/both',
      version: '1.0.0',
      licence: '(MIT OR Apache-2.0)',
      folder: 'node_modules/@scope/both',
    },
  ]
  const core = { name: '@toolwire/core', dependencies: { zod: '4.6.7' } as Readonly<Record<string, string>> }
  const packages = [core, { name: 'toolwire', dependencies: {} }]
  const create = (time = 0) => createSbom({ version: '1.0.0', packages, shipped, time })
  const sbom = JSON.parse(create())
  expect(sbom).toMatchObject({
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    metadata: { component: { name: 'toolwire' } },
  })
  expect(sbom.serialNumber).toMatch(
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  )
  expect(sbom.components.map((one: { purl: string }) => one.purl)).toEqual([
    'pkg:npm/%40scope/both@1.0.0',
    'pkg:npm/%40toolwire/core@1.0.0',
    'pkg:npm/toolwire@1.0.0',
    'pkg:npm/zod@4.6.7',
  ])
  expect(sbom.dependencies).toContainEqual({
    ref: 'pkg:npm/toolwire@1.0.0',
    dependsOn: ['pkg:npm/%40scope/both@1.0.0', 'pkg:npm/zod@4.6.7'],
  })
  expect(sbom.components[0].licenses).toEqual([{ expression: '(MIT OR Apache-2.0)' }])
  expect(create()).toBe(create())
  expect(create(1)).not.toBe(create())
})

test('the workflow checks before it packs, publishes without a token, and only for a tag', () => {
  const text = readFileSync(join(import.meta.dirname, '../../.github/workflows/release.yml'), 'utf8')
  expect(text.indexOf('bash .ci/run')).toBeLessThan(text.indexOf('npm run release -- --dry-run'))
  expect(text).toMatch(/publish:\n\s+if: github\.ref_type == 'tag'\n\s+needs: dry-run/)
  expect(text).toContain('id-token: write')
  expect(text).not.toMatch(/NODE_AUTH_TOKEN|NPM_TOKEN|secrets\./)
})

import { globSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { inOrder } from '../publish-order.ts'
import { manifestProblems, publishedManifest, type SourceManifest } from '../published-manifest.ts'
import { type Manifest, tarballProblems } from '../tarball-problems.ts'

const source: SourceManifest = {
  name: 'p',
  version: '1.0.0',
  description: 'A package.',
  license: 'MIT',
  type: 'module',
  files: ['dist'],
  sideEffects: ['**/*.css'],
  bin: { p: './dist/main.js' },
  exports: {
    '.': { 'toolwire-source': './src/index.ts', types: './dist/index.d.ts', default: './dist/index.js' },
    './styles.css': './styles.css',
  },
  dependencies: { zod: '4', '@own/core': '1' },
}
const origin = { repository: 'https://git.example/own/p', directory: 'packages/p' }
const manifest = publishedManifest(source, origin)
const sound = {
  'package.json': '{}',
  'README.md': '# p',
  'CHANGELOG.md': '# Changelog',
  LICENSE: 'MIT',
  'dist/main.js': '#!/usr/bin/env node\nimport { z } from "zod"\n',
  'dist/index.js':
    "import fs from 'node:fs'\nexport { a } from '@own/core/schema'\nexport * from './main.js'\n",
  'dist/main.d.ts': '',
  'dist/index.d.ts': "export { a } from './main.js'\n",
  'styles.css': '',
}
const problems = (
  change: Readonly<Record<string, string | undefined>>,
  changed: Partial<Manifest> = {},
): readonly string[] => {
  const files = Object.entries({ ...sound, ...change }).flatMap(([path, text]) =>
    text === undefined ? [] : [[path, text] as const],
  )
  return tarballProblems(
    { manifest: { ...manifest, ...changed }, files: new Map(files) },
    '/home/me/checkout',
  )
}

test('a sound package has no problems', () => {
  expect(problems({})).toEqual([])
})

test.each([
  'test/a.js',
  'dist/a.test.js',
  'dist/fixtures/a.json',
  '.env',
  'dist/.npmrc',
  'server.pem',
  'dist/index.js.map',
  'src/index.ts',
  'dist/view.tsx',
])('%s does not belong into a package', path => {
  expect(problems({ [path]: '' })).toEqual([`p: ${path} is no part of it`])
})

test('what the manifest names must be there', () => {
  expect(problems({ 'dist/index.d.ts': undefined })).toEqual(['p: ./dist/index.d.ts is named and not there'])
  expect(problems({ 'styles.css': undefined })).toEqual(['p: ./styles.css is named and not there'])
  for (const path of ['README.md', 'LICENSE', 'CHANGELOG.md'])
    expect(problems({ [path]: undefined })).toEqual([`p: it has no ${path}`])
})

test('a command starts with plain node', () => {
  const first = '#!/usr/bin/env -S node --conditions=toolwire-source\n'
  expect(problems({ 'dist/main.js': first })).toEqual(['p: ./dist/main.js does not start with node'])
})

test('secrets and folders of the machine are found', () => {
  const key = ['sk', 'ant', 'a'.repeat(30)].join('-')
  expect(problems({ 'dist/a.js': `const key = '${key}'` })).toEqual([
    'p: dist/a.js holds something like a secret',
  ])
  expect(problems({ 'dist/a.js': "'/home/me/checkout/x'" })).toEqual([
    'p: dist/a.js names a folder of the machine that built it',
  ])
})

test('a private key is found, in a file or in text of code; words that announce one are not', () => {
  const words = ['-----BEGIN', 'PRIVATE KEY-----'].join(' ')
  const found = ['p: dist/a.js holds something like a secret']
  expect(problems({ 'dist/a.js': `${words}\n${'Ab1+'.repeat(16)}\n` })).toEqual(found)
  expect(problems({ 'dist/a.js': `const key = "${words}\\n${'Ab1+'.repeat(16)}"` })).toEqual(found)
  expect(problems({ 'dist/a.js': `text.startsWith('${words}')` })).toEqual([])
})

test('keys of this server and tokens of sign-ins are found; words about them are not', () => {
  const key = `tw_${'0a'.repeat(6)}_${'x-Y_'.repeat(8)}`
  const token = ['ya29', 'a0Af'.repeat(10)].join('.')
  const signed = [`ey${'J0eX'.repeat(5)}`, `ey${'Jzd9'.repeat(5)}`, 's1g-'.repeat(8)].join('.')
  const found = ['p: dist/a.js holds something like a secret']
  for (const text of [
    `const key = '${key}'`,
    `{"access_token":"${token}"}`,
    `refresh_token = '${token}'`,
    `authorization: 'Bearer ${signed}'`,
  ])
    expect([text, problems({ 'dist/a.js': text })]).toEqual([text, found])
  const words = [
    'tw_<id>_<secret>',
    `tw_000000000000_${'0'.repeat(40)}`,
    "body.get('access_token')",
    'access_token: z.string()',
    "refresh_token: 'the one that was given'",
    /^tw_([0-9a-f]{12})_[\w-]{32}$/.source,
  ]
  for (const text of words) expect([text, problems({ 'dist/a.js': text })]).toEqual([text, []])
})

test('an import that users do not have is found', () => {
  expect(problems({ 'dist/a.js': "import { test } from 'vitest'\n" })).toEqual([
    'p: dist/a.js imports vitest, which users do not have',
  ])
  expect(problems({ 'dist/a.js': "import table from './table.json' with { type: 'json' }\n" })).toEqual([
    'p: dist/a.js imports ./table.json, which users do not have',
  ])
  expect(problems({ 'dist/a.d.ts': "export type { A } from './a.ts'\n" })).toEqual([
    'p: dist/a.d.ts imports ./a.ts, which users do not have',
  ])
})

test('a stylesheet that bundlers would drop is found', () => {
  const found = ['p: ./styles.css is dropped by bundlers: sideEffects does not name it']
  expect(problems({}, { sideEffects: false })).toEqual(found)
  expect(problems({}, { sideEffects: ['./dist/main.js'] })).toEqual(found)
  for (const sideEffects of [true, ['**/*.css']]) expect(problems({}, { sideEffects })).toEqual([])
})

test('an entry for React says that it runs in the client, and its parts draw no text without marks', () => {
  const peerDependencies = { react: '>=18' }
  const found = ["p: dist/index.js does not start with 'use client'"]
  expect(problems({}, { peerDependencies })).toEqual(found)
  const directive = `'use client';\n${sound['dist/index.js']}`
  expect(problems({ 'dist/index.js': directive }, { peerDependencies })).toEqual([])
  const plain = 'import { jsx } from "react/jsx-runtime"\n'
  const built = { 'dist/index.js': directive, 'dist/jsx-runtime.js': plain, 'dist/part.js': plain }
  expect(problems(built, { peerDependencies })).toEqual([
    'p: dist/part.js draws text without marks for hidden characters',
  ])
  expect(problems({ 'dist/index.js': `import './main.js'\n'use client'\n` }, { peerDependencies })).toEqual(
    found,
  )
})

test('every package keeps its stylesheets, and the entry for React runs in the client', () => {
  const root = new URL('../../packages/', import.meta.url)
  for (const name of ['core', 'react', 'vue']) {
    const { sideEffects } = JSON.parse(readFileSync(new URL(`${name}/package.json`, root), 'utf8'))
    expect([name, sideEffects]).toEqual([name, ['**/*.css']])
  }
  expect(readFileSync(new URL('react/src/index.ts', root), 'utf8')).toMatch(/^'use client'\n/)
})

test('the Vue package asks for the version that has what it imports', () => {
  const root = new URL('../../packages/vue/', import.meta.url)
  const imported = globSync('src/**/*.ts', { cwd: fileURLToPath(root) }).flatMap(file => {
    const text = readFileSync(new URL(file, root), 'utf8')
    return /import \{([^}]*)\} from 'vue'/.exec(text)?.[1]?.split(/,\s*/) ?? []
  })
  const { peerDependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
  const since35 = ['useId', 'useTemplateRef', 'onWatcherCleanup', 'useHost', 'useShadowRoot']
  expect(imported.some(name => since35.includes(name.trim()))).toBe(true)
  expect(peerDependencies).toEqual({ vue: '>=3.5' })
})

test('every package says what it publishes, and takes its types from what is built', () => {
  const root = new URL('../../packages/', import.meta.url)
  const names = readdirSync(root)
  expect(names).toContain('cli')
  for (const name of names) {
    const read = JSON.parse(readFileSync(new URL(`${name}/package.json`, root), 'utf8'))
    expect(read.files, name).toContain('dist')
    expect(read.license, name).toBe('MIT')
    for (const target of Object.values(read.exports ?? {}))
      if (typeof target === 'object')
        expect(Object.keys(target ?? {}), name).toEqual(['toolwire-source', 'types', 'default'])
  }
})

test('projects that a package brings as templates may hold sources and tests, but no secrets of a machine', () => {
  expect(problems({ 'templates/a/test/b.test.ts': '', 'templates/a/agent.ts': '' })).toEqual([])
  for (const path of ['templates/a/.env', 'templates/a/.npmrc', 'templates/node_modules/b/index.js'])
    expect(problems({ [path]: '' })).toEqual([`p: ${path} is no part of it`])
})

test('the published manifest says where it comes from, and names neither our condition nor our tools', () => {
  const { exports, repository, publishConfig, engines } = manifest
  expect(repository).toEqual({
    type: 'git',
    url: 'git+https://git.example/own/p.git',
    directory: 'packages/p',
  })
  expect(publishConfig).toEqual({ access: 'public', provenance: true })
  expect(engines).toEqual({ node: '>=24.16' })
  expect(exports?.['.']).toEqual({ types: './dist/index.d.ts', default: './dist/index.js' })
  expect(exports?.['./package.json']).toBe('./package.json')
  const more = { ...source, devDependencies: { a: '1' }, scripts: { prepare: 'a' }, private: true }
  expect(Object.keys(publishedManifest(more, origin))).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/devDependencies|scripts|private/)]),
  )
})

test('the bundle needs what is outside of it, and nothing that is inside', () => {
  const dependencies = { zod: '4', '@toolwire/core': '1', '@vscode/ripgrep': '1.18.0' }
  const bundle = publishedManifest({ ...source, name: 'toolwire', dependencies }, origin)
  expect(bundle.dependencies).toEqual({ '@vscode/ripgrep': '1.18.0' })
  const peers = Object.keys(bundle.peerDependencies ?? {})
  expect(peers).toEqual(['zod', 'sharp', '@anthropic-ai/claude-agent-sdk'])
  for (const peer of peers) expect(bundle.peerDependenciesMeta?.[peer]).toEqual({ optional: true })
})

test.each([
  ['author', undefined, 'package.json has no author'],
  ['description', '', 'package.json has no description'],
  ['keywords', [], 'package.json has no keywords'],
  ['engines', undefined, 'package.json has no engines'],
  ['type', 'commonjs', 'package.json has a wrong type'],
  ['repository', { url: 'git@host:a' }, 'package.json has a wrong repository.url'],
  [
    'publishConfig',
    { access: 'restricted', provenance: true },
    'package.json has a wrong publishConfig.access',
  ],
  ['publishConfig', { access: 'public' }, 'package.json has a wrong publishConfig.provenance'],
  ['exports', { '.': {} }, 'package.json has a wrong exports["./package.json"]'],
  ['exports', { '.': { default: 'a', types: 'b' } }, 'exports["."] does not name types first'],
  [
    'exports',
    { '.': { types: 'b', 'toolwire-source': 'a' } },
    'exports["."] has the condition toolwire-source',
  ],
  ['scripts', { postinstall: 'node a.js' }, 'package.json has the script postinstall'],
  ['devDependencies', {}, 'package.json holds devDependencies'],
  ['private', true, 'package.json holds private'],
])('a manifest whose %s is %j is refused', (key, value, problem) => {
  expect(manifestProblems({ ...manifest })).toEqual([])
  expect(manifestProblems({ ...manifest, [key]: value })).toContain(problem)
})

test('packages are published behind those that they need, the command and its generator last', () => {
  const named = (name: string, ...needs: readonly string[]) => ({
    name,
    manifest: { ...manifest, dependencies: Object.fromEntries(needs.map(need => [need, '1'])) },
  })
  const order = (...packages: readonly ReturnType<typeof named>[]) =>
    inOrder(packages).map(({ name }) => name)
  expect(
    order(named('toolwire'), named('a', 'c'), named('create-toolwire'), named('b'), named('c', 'b')),
  ).toEqual(['b', 'c', 'a', 'toolwire', 'create-toolwire'])
  expect(() => order(named('a', 'b'), named('b', 'a'))).toThrow('need each other: a, b')
})

/** Forbidden and required contents of a published package. Pure. */
import { posix } from 'node:path'
import { manifestProblems, type PublishedManifest } from './published-manifest.ts'

export type Manifest = PublishedManifest

export interface Tarball {
  readonly manifest: Manifest
  /** Text by path; the paths are those inside the package. */
  readonly files: ReadonlyMap<string, string>
}

/** Sentences; none for a publishable package. `machine` is a path that no file may contain. */
export function tarballProblems(tarball: Tarball, machine: string): readonly string[] {
  return [
    ...manifestProblems({ ...tarball.manifest }),
    ...strayFiles(tarball),
    ...missingTargets(tarball),
    ...secretsIn(tarball.files, machine),
    ...undeclaredImports(tarball),
    ...droppedStyles(tarball.manifest),
    ...reactProblems(tarball),
  ].map(problem => `${tarball.manifest.name}: ${problem}`)
}

/** Wrong in every package, also in the projects that it brings as templates. */
const PRIVATE = [
  /(^|\/)(node_modules|coverage)\//,
  /(^|\/)\.(env|npmrc|git)/,
  /\.(pem|key|p12|sqlite|db|log|map|tsbuildinfo|tgz)$/,
]
const STRAY = [
  /(^|\/)(test|tests|test-[^/]+|__tests__|fixtures|cases|bench)\//,
  /\.test\.[cm]?[jt]sx?$/,
  // Sources would be taken for what a package is, and cannot run from where packages are installed.
  /^(?!sample-workspace\/)(?!.*\.d\.ts$).*\.tsx?$/,
]

const strayFiles = ({ files }: Tarball): readonly string[] =>
  [...files.keys()]
    .filter(path => [...PRIVATE, ...(path.startsWith('templates/') ? [] : STRAY)].some(one => one.test(path)))
    .map(path => `${path} is no part of it`)

function missingTargets({ manifest, files }: Tarball): readonly string[] {
  const exported = Object.values(manifest.exports ?? {}).flatMap(target =>
    typeof target === 'string' ? [target] : Object.values(target),
  )
  const commands = Object.values(manifest.bin ?? {})
  const plain = (path: string): string => path.replace(/^\.\//, '')
  const missing = [...exported, ...commands].filter(path => !files.has(plain(path)))
  const wrong = commands.filter(path => !/^#!\/usr\/bin\/env node\n/.test(files.get(plain(path)) ?? ''))
  const texts = ['README.md', 'LICENSE', 'CHANGELOG.md'].filter(path => !files.has(path))
  return [
    ...missing.map(path => `${path} is named and not there`),
    ...wrong.map(path => `${path} does not start with node`),
    ...texts.map(path => `it has no ${path}`),
  ]
}

/** A bundler leaves out an imported file that the manifest calls free of side effects; for a stylesheet that is all it is. */
function droppedStyles({ exports = {}, sideEffects }: Manifest): readonly string[] {
  const sheets = Object.values(exports).filter(
    target => typeof target === 'string' && target.endsWith('.css'),
  )
  const isKept = typeof sideEffects === 'object' ? sideEffects.includes('**/*.css') : sideEffects !== false
  return isKept ? [] : sheets.map(sheet => `${sheet} is dropped by bundlers: sideEffects does not name it`)
}

/** Of packages for React: the entry has hooks and has to say so to servers, and all text goes through its own JSX. */
function reactProblems({ manifest, files }: Tarball): readonly string[] {
  if (!manifest.peerDependencies || !('react' in manifest.peerDependencies)) return []
  const isClient = /^(['"])use client\1/.test(files.get('dist/index.js') ?? '')
  const unmarked = [...files].filter(
    ([path, text]) =>
      !/^dist\/jsx-(?:dev-)?runtime\./.test(path) && /['"]react\/jsx-(?:dev-)?runtime['"]/.test(text),
  )
  return [
    ...(isClient ? [] : ["dist/index.js does not start with 'use client'"]),
    ...unmarked.map(([path]) => `${path} draws text without marks for hidden characters`),
  ]
}

const SECRETS = [
  // The line alone is what code that reads keys compares with; a key has its text after it.
  /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:\s|\\[nr])*[A-Za-z0-9+/]{16}/,
  /\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{24,}/,
  /\b(?:ghp|gho|npm)_[A-Za-z0-9]{30,}/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /\bAIza[0-9A-Za-z_-]{35}\b/,
  // A key of this server: its id and 192 bits.
  /\btw_[0-9a-f]{12}_[A-Za-z0-9_-]{32}(?![A-Za-z0-9_-])/,
  // Tokens of a sign-in, as MCP servers give them and as they are kept.
  /["']?\b(?:access|refresh|id)_token["']?\s*[:=]\s*["'][A-Za-z0-9._~+/=-]{20,}["']/,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}/,
]

export const secretsIn = (files: Tarball['files'], machine: string): readonly string[] =>
  [...files].flatMap(([path, text]) => [
    ...(SECRETS.some(pattern => pattern.test(text)) ? [`${path} holds something like a secret`] : []),
    ...(text.includes(machine) ? [`${path} names a folder of the machine that built it`] : []),
  ])

const IMPORTED = /(?:^|[;\s])(?:import|export)\b[^'"`;]*?from\s*['"]([^'"]+)['"]|^import\s*['"]([^'"]+)['"]/gm

function undeclaredImports({ manifest, files }: Tarball): readonly string[] {
  const { name, dependencies, peerDependencies } = manifest
  const declared = new Set([name, ...Object.keys({ ...dependencies, ...peerDependencies })])
  // The web app is bundled; its text is not that of modules.
  const modules = [...files].filter(([path]) => /^dist\/(?!web\/).*\.(js|d\.ts)$/.test(path))
  return modules.flatMap(([path, text]) => {
    const imported = [...text.matchAll(IMPORTED)].map(([, from, bare]) => from ?? bare ?? '')
    const isThere = (relative: string): boolean => files.has(targetOf(path, relative))
    const wrong = new Set(imported.filter(one => !isSound(one, declared, isThere)))
    return [...wrong].map(one => `${path} imports ${one}, which users do not have`)
  })
}

/** The file that a relative import means; declarations import each other by the names of modules. */
function targetOf(path: string, relative: string): string {
  const target = posix.join(posix.dirname(path), relative)
  return path.endsWith('.d.ts') ? target.replace(/\.js$/, '.d.ts') : target
}

function isSound(
  specifier: string,
  declared: ReadonlySet<string>,
  isThere: (relative: string) => boolean,
): boolean {
  if (specifier.startsWith('node:')) return true
  if (specifier.startsWith('.')) return isThere(specifier)
  return declared.has(specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'))
}

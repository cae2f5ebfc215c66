/** The manifest of a package as it is published, made from the one in the repository, and what it must hold. Pure. */

export interface SourceManifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly type: string
  readonly bin?: Readonly<Record<string, string>>
  readonly sideEffects?: boolean | readonly string[]
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly files: readonly string[]
  readonly engines?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

export interface PublishedManifest extends SourceManifest {
  readonly author: string
  readonly keywords: readonly string[]
  readonly repository: Readonly<Record<'type' | 'url' | 'directory', string>>
  readonly homepage: string
  readonly bugs: string
  readonly publishConfig: Readonly<Record<string, unknown>>
}

interface Origin {
  /** Address of the repository for people, such as `https://git.example/owner/name`. */
  readonly repository: string
  /** Folder of the package in it. */
  readonly directory: string
}

/** Left outside of the bundle and resolved where it is installed: a separate program, and optional packages. */
export const OUTSIDE: readonly string[] = [
  '@vscode/ripgrep',
  'sharp',
  '@anthropic-ai/claude-agent-sdk',
  'pg-native',
]

/** A condition for this checkout's own sources is not one that users have. */
const OWN_CONDITION = 'toolwire-source'
const KEYWORDS = ['ai', 'agent', 'llm', 'tool-calling', 'tools', 'streaming', 'sse', 'mcp']
/** Packages that run in browsers, and on an older Node too. */
const IN_BROWSERS = /^@toolwire\/(core|wire|client|react|vue)$/
/** The package that is one bundle: what is inside of it is no dependency. */
const BUNDLE = 'toolwire'
/** Named by the bundle's declarations, or loaded where they are installed. */
const BUNDLE_PEERS = { zod: '^4.1.0', sharp: '>=0.33', '@anthropic-ai/claude-agent-sdk': '>=0.3.300' }

export function publishedManifest(source: SourceManifest, origin: Origin): PublishedManifest {
  const { name, version, description, license, type, bin, sideEffects = false } = source
  return {
    name,
    version,
    description,
    keywords: KEYWORDS,
    homepage: `${origin.repository}#readme`,
    bugs: `${origin.repository}/issues`,
    license,
    author: 'The Toolwire authors',
    repository: { type: 'git', url: `git+${origin.repository}.git`, directory: origin.directory },
    type,
    sideEffects,
    ...(bin && { bin }),
    exports: withoutOwnCondition(source.exports ?? {}),
    files: [...source.files, 'CHANGELOG.md'],
    engines: source.engines ?? { node: IN_BROWSERS.test(name) ? '>=22' : '>=24.16' },
    publishConfig: { access: 'public', provenance: true },
    ...needsOf(source),
  }
}

function withoutOwnCondition(
  exports: NonNullable<SourceManifest['exports']>,
): NonNullable<SourceManifest['exports']> {
  const targets = Object.entries(exports).map(([path, target]) => {
    if (typeof target === 'string') return [path, target] as const
    const { [OWN_CONDITION]: _own, ...conditions } = target
    return [path, conditions] as const
  })
  return { ...Object.fromEntries(targets), './package.json': './package.json' }
}

/** Peers are optional unless a package cannot be imported without them: a framework. */
function needsOf({ name, dependencies = {}, peerDependencies = {} }: SourceManifest) {
  const isInside = name === BUNDLE
  const needed = Object.entries(dependencies).filter(([one]) => !isInside || OUTSIDE.includes(one))
  const peers = isInside ? { ...peerDependencies, ...BUNDLE_PEERS } : peerDependencies
  const optional = Object.keys(peers).filter(one => !/^(react|react-dom|vue)$/.test(one))
  return {
    ...(needed.length > 0 && { dependencies: Object.fromEntries(needed) }),
    ...(Object.keys(peers).length > 0 && { peerDependencies: peers }),
    ...(optional.length > 0 && {
      peerDependenciesMeta: Object.fromEntries(optional.map(one => [one, { optional: true }])),
    }),
  }
}

/** Sentences; none for a manifest that can be published. Takes anything: it is read from a tarball. */
export function manifestProblems(manifest: Readonly<Record<string, unknown>>): readonly string[] {
  const texts = ['name', 'version', 'description', 'license', 'author', 'homepage', 'bugs']
  const missing = [
    ...texts.filter(key => typeof manifest[key] !== 'string' || manifest[key] === ''),
    ...['keywords', 'files'].filter(key => !Array.isArray(manifest[key]) || manifest[key].length === 0),
    ...['exports', 'engines', 'publishConfig', 'repository'].filter(key => !isObject(manifest[key])),
    ...['type', 'sideEffects'].filter(key => manifest[key] === undefined),
  ].map(key => `package.json has no ${key}`)
  const { repository, publishConfig, exports, scripts, type } = manifest
  const wrong = [
    [isObject(repository) && !/^git\+https:\/\/.+\.git$/.test(String(repository['url'])), 'repository.url'],
    [
      isObject(repository) && !/^packages\/[\w-]+$/.test(String(repository['directory'])),
      'repository.directory',
    ],
    [isObject(publishConfig) && publishConfig['access'] !== 'public', 'publishConfig.access'],
    [isObject(publishConfig) && publishConfig['provenance'] !== true, 'publishConfig.provenance'],
    [isObject(exports) && exports['./package.json'] !== './package.json', 'exports["./package.json"]'],
    [type !== undefined && type !== 'module', 'type'],
  ] as const
  return [
    ...missing,
    ...wrong.flatMap(([isWrong, key]) => (isWrong ? [`package.json has a wrong ${key}`] : [])),
    ...(isObject(exports) ? exportProblems(exports) : []),
    ...Object.keys(isObject(scripts) ? scripts : {}).map(name => `package.json has the script ${name}`),
    ...['devDependencies', 'private'].filter(key => key in manifest).map(key => `package.json holds ${key}`),
  ]
}

function exportProblems(exports: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(exports).flatMap(([path, target]) => {
    if (!isObject(target)) return []
    const [first] = Object.keys(target)
    return [
      ...(first === 'types' ? [] : [`exports["${path}"] does not name types first`]),
      ...(OWN_CONDITION in target ? [`exports["${path}"] has the condition ${OWN_CONDITION}`] : []),
    ]
  })
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

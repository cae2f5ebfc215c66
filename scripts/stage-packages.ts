/**
 * Every package as it would be published: built into a separate folder, with its manifest, README, license and
 * changelog, looked through and packed. Tests of the packages and the release use the same tarballs.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from './build.ts'
import { inOrder } from './publish-order.ts'
import { type PublishedManifest, publishedManifest, type SourceManifest } from './published-manifest.ts'
import { ROOT } from './root.ts'
import { tarballProblems } from './tarball-problems.ts'

export interface PackedPackage {
  readonly name: string
  readonly version: string
  readonly manifest: PublishedManifest
  /** Its contents, unpacked. */
  readonly folder: string
  readonly tarball: string
  readonly files: number
  readonly bytes: number
  readonly unpackedBytes: number
  /** `sha512-…`, as registries give it. */
  readonly integrity: string
}

interface NpmPack {
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
  readonly integrity: string
  readonly files: readonly { readonly path: string }[]
}

/** Packages in the order in which they are published: each behind those that it needs. Throws for an unsound one. */
export async function stagePackages(to: string, repository: string): Promise<readonly PackedPackage[]> {
  const staged = join(to, 'packages')
  const tarballs = join(to, 'tarballs')
  mkdirSync(tarballs, { recursive: true })
  await build(staged)
  const packed = readdirSync(join(ROOT, 'packages')).map(name =>
    pack(name, { folder: join(staged, name), tarballs, repository }),
  )
  return inOrder(packed)
}

interface PackOptions {
  readonly folder: string
  readonly tarballs: string
  readonly repository: string
}

function pack(name: string, { folder, tarballs, repository }: PackOptions): PackedPackage {
  const source = join(ROOT, 'packages', name)
  const read = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as SourceManifest
  const manifest = publishedManifest(read, { repository, directory: `packages/${name}` })
  for (const file of ['README.md', ...read.files.filter(one => one !== 'dist')])
    if (existsSync(join(source, file))) cpSync(join(source, file), join(folder, file), { recursive: true })
  for (const file of ['LICENSE', 'CHANGELOG.md']) cpSync(join(ROOT, file), join(folder, file))
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  const output = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', tarballs], {
    cwd: folder,
    env: npmEnvironment(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [packed] = Object.values(JSON.parse(output)) as readonly NpmPack[]
  if (!packed) throw new Error(`npm packed nothing in ${folder}`)
  const files = new Map(packed.files.map(({ path }) => [path, readFileSync(join(folder, path), 'utf8')]))
  const problems = tarballProblems({ manifest, files }, ROOT.replace(/\/$/, ''))
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return {
    name: manifest.name,
    version: manifest.version,
    manifest,
    folder,
    tarball: join(tarballs, packed.filename),
    files: packed.files.length,
    bytes: packed.size,
    unpackedBytes: packed.unpackedSize,
    integrity: packed.integrity,
  }
}

/** The Node that runs this comes first: commands say `env node`. A bundler leaves a `NODE_ENV` that npm would obey. */
export function npmEnvironment(): NodeJS.ProcessEnv {
  const { NODE_ENV: _bundler, ...env } = process.env
  return { ...env, PATH: `${dirname(process.execPath)}:${env['PATH'] ?? ''}`, NODE_OPTIONS: '' }
}

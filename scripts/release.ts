/**
 * `npm run release`: packs every package, writes tarballs, software bill of materials, digests and notes into `release`,
 * and publishes in order. A package that the registry has already is compared and left, so that a release that stopped
 * midway is run again. `--dry-run` publishes nothing and asks no registry.
 */
import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { notesOf } from './release-notes.ts'
import { ROOT } from './root.ts'
import { createSbom } from './sbom.ts'
import { publishedWorkspaces, readLock, shippedWith } from './shipped-dependencies.ts'
import { npmEnvironment, type PackedPackage, stagePackages } from './stage-packages.ts'
import { stagePython } from './stage-python.ts'

const run = promisify(execFile)

export interface ReleaseOptions {
  readonly packages: readonly Pick<PackedPackage, 'name' | 'version' | 'tarball' | 'integrity'>[]
  /** Passed to npm. A registry without provenance needs `--provenance=false`. */
  readonly flags?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly report: (line: string) => void
}

/** Publishes what the registry lacks. Throws at the first failure, and for a tarball that differs from the published one. */
export async function publishAll({
  packages,
  flags = [],
  env = npmEnvironment(),
  report,
}: ReleaseOptions): Promise<void> {
  for (const { name, version, tarball, integrity } of packages) {
    const published = await publishedIntegrity(`${name}@${version}`, env)
    if (published === undefined) {
      await run('npm', ['publish', tarball, '--access', 'public', ...flags], { env })
      report(`published ${name}@${version}`)
    } else if (published === integrity) report(`${name}@${version} is there already`)
    else
      throw new Error(`${name}@${version} is published with other contents: ${published}, here ${integrity}.`)
  }
}

/** Undefined if the registry has no such version. */
async function publishedIntegrity(spec: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  try {
    const { stdout } = await run('npm', ['view', spec, 'dist.integrity', '--json', '--prefer-online'], {
      env,
    })
    return stdout.trim() === '' ? undefined : (JSON.parse(stdout) as string)
  } catch (error) {
    if (String((error as { readonly stdout?: string }).stdout).includes('E404')) return undefined
    throw error
  }
}

/** `sha256  file` lines, as `sha256sum --check` reads them. */
export const digestsOf = (files: readonly string[]): string =>
  files
    .map(file => `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${basename(file)}\n`)
    .join('')

/** Address of the repository for people; a dry run may go without. */
function repositoryOf(env: NodeJS.ProcessEnv, isDry: boolean): string {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = env
  if (server && name) return `${server}/${name}`
  if (isDry) return 'https://git.example.invalid/toolwire'
  throw new Error(
    'GITHUB_SERVER_URL and GITHUB_REPOSITORY must name the repository: provenance refers to it.',
  )
}

function checkTag(tag: string | undefined, version: string): void {
  if (tag !== undefined && tag !== `v${version}`)
    throw new Error(`The tag ${tag} does not fit the version ${version} of the packages.`)
}

async function release({ isDry, to }: { readonly isDry: boolean; readonly to: string }): Promise<void> {
  rmSync(to, { recursive: true, force: true })
  mkdirSync(to, { recursive: true })
  const packages = await stagePackages(to, repositoryOf(process.env, isDry))
  const versions = new Set(packages.map(({ version }) => version))
  const [version = ''] = versions
  if (versions.size !== 1) throw new Error(`The packages have several versions: ${[...versions].join(', ')}.`)
  checkTag(process.env['GITHUB_REF_TYPE'] === 'tag' ? process.env['GITHUB_REF_NAME'] : undefined, version)
  const lock = readLock()
  const sbom = createSbom({
    version,
    packages: packages.map(({ name, manifest }) => ({ name, dependencies: manifest.dependencies ?? {} })),
    shipped: shippedWith(lock, publishedWorkspaces(lock)),
    time: Number(execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: ROOT, encoding: 'utf8' })),
  })
  writeFileSync(join(to, 'sbom.cdx.json'), sbom)
  writeFileSync(
    join(to, 'notes.md'),
    `${notesOf(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version)}\n`,
  )
  stagePython(join(to, 'python'), repositoryOf(process.env, isDry))
  const files = [...packages.map(({ tarball }) => tarball), join(to, 'sbom.cdx.json')]
  writeFileSync(join(to, 'SHA256SUMS'), digestsOf(files))
  if (isDry)
    for (const { name, integrity } of packages) console.log(`would publish ${name}@${version} ${integrity}`)
  else await publishAll({ packages, report: line => console.log(line) })
}

if (import.meta.main) {
  const options = { 'dry-run': { type: 'boolean' }, to: { type: 'string' } } as const
  const { values } = parseArgs({ options })
  await release({ isDry: values['dry-run'] ?? false, to: values.to ?? join(ROOT, 'release') })
}

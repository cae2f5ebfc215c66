/** The Python client as it is published: its sources with the license and the addresses of the repository. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './root.ts'

const PARTS = ['src', 'tests', 'README.md', 'LICENSE', 'pyproject.toml']

/** `repository` is its address for people, such as `https://git.example/owner/name`. */
export function stagePython(to: string, repository: string): void {
  for (const part of PARTS)
    cpSync(join(ROOT, 'clients/python', part), join(to, part), {
      recursive: true,
      filter: path => !/__pycache__|\.egg-info/.test(path),
    })
  const path = join(to, 'pyproject.toml')
  writeFileSync(path, `${readFileSync(path, 'utf8')}\n${urlsOf(repository)}`)
}

/** Links of the README lead into the repository. */
const urlsOf = (repository: string): string =>
  [
    '[project.urls]',
    `Homepage = "${repository}"`,
    `Documentation = "${repository}/blob/main/docs/python.md"`,
    `Source = "${repository}/tree/main/clients/python"`,
    `Issues = "${repository}/issues"`,
    `Changelog = "${repository}/blob/main/CHANGELOG.md"`,
    '',
  ].join('\n')

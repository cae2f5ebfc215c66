/** The licence texts of what a bundle is made from: a copy of the bundle must come with them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './root.ts'
import { readLock, shippedWith } from './shipped-dependencies.ts'

/** Of what these workspaces depend on, one part per package, sorted by name. A package that ships no text is named with its licence. */
export function bundledLicences(workspaces: readonly string[], bundle: string): string {
  const parts = shippedWith(readLock(), workspaces).map(({ name, version, licence, folder }) => {
    const text = textOf(join(ROOT, folder))
    return `${name} ${version} (${licence})\n\n${text ?? `Licence: ${licence}`}\n`
  })
  return `${bundle} holds parts of these packages.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`
}

function textOf(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined
  const file = readdirSync(folder).find(name => /^licen[cs]e(\.|$)/i.test(name))
  return file === undefined ? undefined : readFileSync(join(folder, file), 'utf8').trim()
}

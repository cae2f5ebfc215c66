/** The licence texts of what the web app is bundled from: a copy of the bundle must come with them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './root.ts'
import { readLock, shippedWith } from './shipped-dependencies.ts'

/** One part per package, sorted by name. A package that ships no text is named with its licence. */
export function bundledLicences(): string {
  const parts = shippedWith(readLock(), ['apps/web']).map(({ name, version, licence, folder }) => {
    const text = textOf(join(ROOT, folder))
    return `${name} ${version} (${licence})\n\n${text ?? `Licence: ${licence}`}\n`
  })
  return `The web app holds parts of these packages.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`
}

function textOf(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined
  const file = readdirSync(folder).find(name => /^licen[cs]e(\.|$)/i.test(name))
  return file === undefined ? undefined : readFileSync(join(folder, file), 'utf8').trim()
}

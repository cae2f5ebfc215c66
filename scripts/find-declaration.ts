/** Finds the file that declares a name, in declarations as the compiler writes them. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { ROOT } from './root.ts'

export interface Declaration {
  readonly file: string
  readonly name: string
}

/** Follows re-exports to the file that declares a name. */
export function findDeclaration(file: string, name: string, root: string): Declaration {
  for (const node of parse(file).statements) {
    if (!ts.isExportDeclaration(node) || !node.moduleSpecifier || !ts.isStringLiteral(node.moduleSpecifier))
      continue
    const target = fileOf(node.moduleSpecifier.text, file, root)
    if (target === undefined || !node.exportClause || !ts.isNamedExports(node.exportClause)) continue
    const found = node.exportClause.elements.find(element => element.name.text === name)
    if (found) return findDeclaration(target, (found.propertyName ?? found.name).text, root)
  }
  return { file, name }
}

/** The declarations that a specifier means; undefined for packages of others. */
export function fileOf(specifier: string, from: string, root: string): string | undefined {
  if (specifier.startsWith('.')) return join(dirname(from), specifier.replace(/\.(?:tsx?|js)$/, '.d.ts'))
  const [, name, entry = ''] = /^@toolwire\/([^/]+)(\/.+)?$/.exec(specifier) ?? []
  if (name === undefined) return undefined
  const manifest = join(ROOT, 'packages', name, 'package.json')
  const { exports } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    readonly exports: Readonly<Record<string, { readonly 'toolwire-source'?: string }>>
  }
  const path = exports[`.${entry}`]?.['toolwire-source']
  if (path === undefined) throw new Error(`${specifier} is no entry of ${manifest}`)
  return join(root, name, path.replace(/\.tsx?$/, '.d.ts'))
}

const parsed = new Map<string, ts.SourceFile>()

export function parse(file: string): ts.SourceFile {
  const known = parsed.get(file)
  if (known) return known
  if (!existsSync(file)) throw new Error(`${file} is not there`)
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  parsed.set(file, source)
  return source
}

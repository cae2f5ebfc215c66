/**
 * The declarations of the bundled library: each name is imported from the file that declares it, so that only files
 * which the entries need are copied, and none of our other packages has to be installed.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { fileOf, findDeclaration, parse } from './find-declaration.ts'

interface DeclarationFiles {
  /** Holds `<package>/src/**.d.ts`, as the compiler writes them. */
  readonly from: string
  readonly to: string
}

/** Copies what the entries of a package reach. Entries are paths such as `index.d.ts`. */
export function copyLibraryTypes(name: string, entries: readonly string[], files: DeclarationFiles): void {
  const own = join(files.from, name, 'src')
  const reached = new Set(entries.map(entry => join(own, entry)))
  const outputOf = (file: string): string =>
    file.startsWith(`${own}/`)
      ? join(files.to, relative(own, file))
      : join(files.to, 'packages', relative(files.from, file).replace('/src/', '/'))
  for (const file of reached) {
    const output = outputOf(file)
    const text = rewriteImports(file, files.from, target => {
      reached.add(target)
      const path = relative(dirname(output), outputOf(target)).replace(/\.d\.ts$/, '.js')
      return path.startsWith('.') ? path : `./${path}`
    })
    mkdirSync(dirname(output), { recursive: true })
    writeFileSync(output, text)
  }
}

type ToSpecifier = (file: string) => string

function rewriteImports(file: string, root: string, toSpecifier: ToSpecifier): string {
  const source = parse(file)
  const edits: { readonly start: number; readonly end: number; readonly text: string }[] = []
  const replace = (node: ts.Node, text: string): void => {
    edits.push({ start: node.getStart(source), end: node.end, text })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      const text = rewriteNames(node, { file, root, toSpecifier })
      if (text !== undefined) replace(node, text)
    } else if (ts.isImportTypeNode(node)) {
      rewriteImportType(node, { file, root, toSpecifier }, replace)
      node.typeArguments?.forEach(visit)
    } else ts.forEachChild(node, visit)
  }
  visit(source)
  return edits
    .sort((a, b) => b.start - a.start)
    .reduce((text, { start, end, text: now }) => text.slice(0, start) + now + text.slice(end), source.text)
}

/** `import('./a.ts').B`, which the compiler writes for types that a file does not import. */
function rewriteImportType(
  node: ts.ImportTypeNode,
  { file, root, toSpecifier }: ImportContext,
  replace: (node: ts.Node, text: string) => void,
): void {
  const { argument, qualifier } = node
  if (!ts.isLiteralTypeNode(argument) || !ts.isStringLiteral(argument.literal)) return
  const target = fileOf(argument.literal.text, file, root)
  if (target === undefined || !qualifier || !ts.isIdentifier(qualifier)) return
  const declared = findDeclaration(target, qualifier.text, root)
  replace(argument.literal, `'${toSpecifier(declared.file)}'`)
  replace(qualifier, declared.name)
}

interface ImportContext {
  readonly file: string
  readonly root: string
  readonly toSpecifier: ToSpecifier
}

/** Undefined for names of other packages. */
function rewriteNames(
  node: ts.ImportDeclaration | ts.ExportDeclaration,
  { file, root, toSpecifier }: ImportContext,
): string | undefined {
  const { moduleSpecifier } = node
  if (!moduleSpecifier || !ts.isStringLiteral(moduleSpecifier)) return undefined
  const target = fileOf(moduleSpecifier.text, file, root)
  if (target === undefined) return undefined
  const clause = ts.isImportDeclaration(node) ? node.importClause : node
  const names = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : node.exportClause
  if (!clause || !names || !(ts.isNamedImports(names) || ts.isNamedExports(names)))
    throw new Error(`${file} imports ${moduleSpecifier.text} without naming what`)
  const word = ts.isImportDeclaration(node) ? 'import' : 'export'
  const lines = names.elements.map(element => {
    const declared = findDeclaration(target, (element.propertyName ?? element.name).text, root)
    const alias = declared.name === element.name.text ? '' : ` as ${element.name.text}`
    const type = clause.isTypeOnly || element.isTypeOnly ? ' type' : ''
    return `${word}${type} { ${declared.name}${alias} } from '${toSpecifier(declared.file)}';`
  })
  return lines.join('\n')
}

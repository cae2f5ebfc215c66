/**
 * The public API as text, one file per entry of a package: every exported declaration without its comments, and the
 * declarations of the same package that it names. `npm run generate` writes them to `schema/api`; a changed file there
 * is a change that users may notice.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ts from 'typescript'
import { type Declaration, fileOf, findDeclaration, parse } from './find-declaration.ts'
import { ROOT } from './root.ts'

/** Texts by path. Takes some seconds: the compiler writes the declarations of all packages. */
export function createApiReports(): Readonly<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-api-'))
  try {
    const compiler = join(ROOT, 'node_modules/@typescript/native/bin/tsc')
    const options = ['--emitDeclarationOnly', '--removeComments', '--outDir', folder]
    execFileSync(process.execPath, [compiler, '-p', join(ROOT, 'tsconfig.build.json'), ...options])
    return Object.fromEntries(
      readdirSync(join(ROOT, 'packages')).flatMap(name =>
        entriesOf(name).map(({ specifier, file }) => {
          const path = specifier.replace('@toolwire/', '').replaceAll('/', '.')
          return [`schema/api/${path}.txt`, reportOf(specifier, join(folder, name, file), folder)]
        }),
      ),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Entry {
  readonly specifier: string
  /** Its declarations, below the folder of the package. */
  readonly file: string
}

function entriesOf(folder: string): readonly Entry[] {
  const { name, exports } = JSON.parse(
    readFileSync(join(ROOT, 'packages', folder, 'package.json'), 'utf8'),
  ) as {
    readonly name: string
    readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  }
  return Object.entries(exports).flatMap(([path, target]) => {
    const source = typeof target === 'string' ? undefined : target['toolwire-source']
    return source === undefined
      ? []
      : [{ specifier: name + path.slice(1), file: source.replace(/\.tsx?$/, '.d.ts') }]
  })
}

/** `root` holds `<package>/src/**.d.ts`. */
export function reportOf(specifier: string, entry: string, root: string): string {
  const own = `${entry.slice(0, entry.indexOf('/src/', root.length))}/src/`
  const exported = exportsOf(entry, root)
  const isOwn = ({ file }: Declaration): boolean => file.startsWith(own)
  const reached = new Map<string, Declaration>()
  const add = (declaration: Declaration): void => {
    if (isOwn(declaration)) reached.set(`${declaration.file}#${declaration.name}`, declaration)
  }
  for (const { declaration } of exported) add(declaration)
  const publicKeys = new Set(reached.keys())
  const inner: string[] = []
  const outer: string[] = []
  for (const [key, declaration] of reached) {
    const nodes = declarationsIn(declaration)
    for (const node of nodes) for (const name of namesIn(node, declaration.file, root)) add(name)
    const text = nodes.map(node => print(node)).join('\n')
    ;(publicKeys.has(key) ? outer : inner).push(text)
  }
  const fromOthers = exported
    .filter(({ declaration }) => !isOwn(declaration))
    .map(({ name, from }) => `export { ${name} } from '${from}'`)
  return [
    `# ${specifier}`,
    ...[...fromOthers].sort(),
    ...renamed(exported),
    ...outer.sort(),
    ...(inner.length > 0 ? ['# named by the above, not exported', ...inner.sort()] : []),
    '',
  ].join('\n')
}

interface Export {
  readonly name: string
  readonly declaration: Declaration
  /** The specifier that the entry names. */
  readonly from: string
}

function exportsOf(entry: string, root: string): readonly Export[] {
  return parse(entry).statements.flatMap((node): readonly Export[] => {
    if (ts.isExportDeclaration(node) && node.exportClause && ts.isNamedExports(node.exportClause)) {
      const from =
        node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier) ? node.moduleSpecifier.text : ''
      const target = from === '' ? entry : fileOf(from, entry, root)
      return node.exportClause.elements.map(element => {
        const inner = (element.propertyName ?? element.name).text
        const declaration =
          target === undefined ? { file: from, name: inner } : findDeclaration(target, inner, root)
        return { name: element.name.text, declaration, from }
      })
    }
    return isExported(node)
      ? declaredNames(node).map(name => ({ name, declaration: { file: entry, name }, from: '' }))
      : []
  })
}

const renamed = (exported: readonly Export[]): readonly string[] =>
  exported
    .filter(({ name, declaration }) => name !== declaration.name)
    .map(({ name, declaration }) => `export { ${declaration.name} as ${name} }`)
    .sort()

const isExported = (node: ts.Statement): boolean =>
  ts.canHaveModifiers(node) &&
  (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)

function declaredNames(node: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(node))
    return node.declarationList.declarations.map(({ name }) => (ts.isIdentifier(name) ? name.text : ''))
  const { name } = node as { readonly name?: ts.Node }
  return name && ts.isIdentifier(name) ? [name.text] : []
}

/** More than one for overloads, and for a type and a value of one name. */
const declarationsIn = ({ file, name }: Declaration): readonly ts.Statement[] =>
  parse(file).statements.filter(node => declaredNames(node).includes(name))

/** The declarations that a node names, in the same file and in those that it imports. */
function namesIn(node: ts.Node, file: string, root: string): readonly Declaration[] {
  const found: Declaration[] = []
  const visit = (part: ts.Node): void => {
    if (ts.isIdentifier(part)) {
      const declaration = resolveName(part.text, file, root)
      if (declaration) found.push(declaration)
    }
    if (ts.isImportTypeNode(part) && part.qualifier && ts.isIdentifier(part.qualifier)) {
      const { argument } = part
      const specifier =
        ts.isLiteralTypeNode(argument) && ts.isStringLiteral(argument.literal) ? argument.literal.text : ''
      const target = fileOf(specifier, file, root)
      if (target !== undefined) found.push(findDeclaration(target, part.qualifier.text, root))
    }
    ts.forEachChild(part, visit)
  }
  visit(node)
  return found
}

function resolveName(name: string, file: string, root: string): Declaration | undefined {
  const source = parse(file)
  if (source.statements.some(node => declaredNames(node).includes(name))) return { file, name }
  for (const node of source.statements) {
    if (!ts.isImportDeclaration(node) || !ts.isStringLiteral(node.moduleSpecifier)) continue
    const bindings = node.importClause?.namedBindings
    if (!bindings || !ts.isNamedImports(bindings)) continue
    const element = bindings.elements.find(one => one.name.text === name)
    const target = element && fileOf(node.moduleSpecifier.text, file, root)
    if (element && target !== undefined)
      return findDeclaration(target, (element.propertyName ?? element.name).text, root)
  }
  return undefined
}

const printer = ts.createPrinter({ removeComments: true })

const print = (node: ts.Statement): string =>
  printer
    .printNode(ts.EmitHint.Unspecified, node, node.getSourceFile())
    .replace(/^(?:export )?(?:declare )?/, '')

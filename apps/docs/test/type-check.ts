/** Type-checks blocks as modules of this repository, each under a name beside the page that holds it. */
import { join } from 'node:path'
import ts from 'typescript'
import { ROOT } from '../src/pages.ts'
import { type CodeBlock, nameOf } from './code-blocks.ts'

/** Packages that examples import and this repository does not install: what comes from them is not checked. */
const UNCHECKED = [
  '*.css',
  '@ai-sdk/amazon-bedrock',
  '@ai-sdk/mistral',
  '@ai-sdk/open-responses',
  '@ai-sdk/openai',
  '@ai-sdk/react',
  '@copilotkit/react-core/v2',
  '@langchain/openai',
]

/** Returns one line per problem. */
export function typeCheck(blocks: readonly CodeBlock[]): readonly string[] {
  const sources = new Map(
    blocks.map(block => [
      join(ROOT, 'apps/docs/test', `block-${nameOf(block).replace(/\W/g, '-')}.tsx`),
      block,
    ]),
  )
  const options = readOptions()
  const host = ts.createCompilerHost(options, true)
  const { fileExists, readFile, getSourceFile } = host
  const unchecked = join(ROOT, 'apps/docs/test/unchecked.d.ts')
  host.fileExists = path => sources.has(path) || path === unchecked || fileExists(path)
  host.readFile = path => sources.get(path)?.text ?? readFile(path)
  host.getSourceFile = (path, version, ...rest) => {
    if (path === unchecked) {
      const modules = UNCHECKED.map(name => `declare module '${name}'`).join('\n')
      return ts.createSourceFile(path, modules, version, true)
    }
    const block = sources.get(path)
    // `export {}` makes a module of a block that imports nothing.
    return block === undefined
      ? getSourceFile(path, version, ...rest)
      : ts.createSourceFile(path, `${block.text}\nexport {}\n${block.given}\n`, version, true)
  }
  const program = ts.createProgram([unchecked, ...sources.keys()], options, host)
  return [...sources].flatMap(([path, block]) =>
    ts.getPreEmitDiagnostics(program, program.getSourceFile(path)).map(({ messageText, start }) => {
      const line = block.text.slice(0, start).split('\n').length
      return `${block.file}:${block.line + line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
    }),
  )
}

function readOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
  return { ...options, noEmit: true, verbatimModuleSyntax: false, jsxImportSource: 'react' }
}

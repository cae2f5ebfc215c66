/** Reads the arguments, asks for those that are missing at a terminal, and reports. */
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { createProject } from './create-project.ts'
import { isTemplate, TEMPLATES, type TemplateName } from './templates.ts'
import { UsageError } from './usage-error.ts'

const HELP = `Makes a project with a Toolwire agent.

  npm create toolwire@latest FOLDER -- --template TEMPLATE

Templates:
${Object.entries(TEMPLATES)
  .map(([name, what]) => `  ${name.padEnd(12)}${what}`)
  .join('\n')}
`

/** Returns the exit code: 0, or 2 for arguments that cannot be used, or 1 for a folder that cannot be written. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  try {
    const given = readArguments(args)
    if (given === 'help') {
      process.stdout.write(HELP)
      return 0
    }
    const { folder, template } = await askForRest(given)
    const project = createProject({ folder, template, cwd: process.cwd() })
    process.stdout.write(nextSteps(project, template))
    return 0
  } catch (error) {
    if (!(error instanceof Error)) throw error
    process.stderr.write(`create-toolwire: ${error.message}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

interface Arguments {
  readonly folder: string | undefined
  readonly template: TemplateName | undefined
}

function readArguments(args: readonly string[]): Arguments | 'help' {
  const { values, positionals } = parse(args)
  if (values.help) return 'help'
  const [folder, ...more] = positionals
  if (more.length > 0) throw new UsageError(`Give one folder, not ${positionals.length}.`)
  return { folder, template: values.template === undefined ? undefined : toTemplate(values.template) }
}

function parse(args: readonly string[]) {
  try {
    const options = {
      template: { type: 'string', short: 't' },
      help: { type: 'boolean', short: 'h' },
    } as const
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function toTemplate(name: string): TemplateName {
  if (isTemplate(name)) return name
  throw new UsageError(
    `There is no template ${JSON.stringify(name)}. Templates: ${Object.keys(TEMPLATES).join(', ')}.`,
  )
}

async function askForRest({ folder, template }: Arguments): Promise<{
  readonly folder: string
  readonly template: TemplateName
}> {
  if (folder !== undefined && template !== undefined) return { folder, template }
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new UsageError(
      folder === undefined
        ? 'Name the folder of the project: npm create toolwire@latest my-agent -- --template express.'
        : `Name a template with --template: ${Object.keys(TEMPLATES).join(', ')}.`,
    )
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const closed = new Promise<never>((_, reject) =>
    terminal.once('close', () => reject(new UsageError('Nothing was created.'))),
  )
  const ask = async (question: string, otherwise: string): Promise<string> =>
    (await Promise.race([terminal.question(question), closed])).trim() || otherwise
  try {
    const project = folder ?? (await ask('Folder (my-agent): ', 'my-agent'))
    if (template !== undefined) return { folder: project, template }
    const names = Object.keys(TEMPLATES)
    const list = Object.entries(TEMPLATES).map(([name, what], i) => `  ${i + 1}  ${name.padEnd(12)}${what}`)
    const answer = await ask(`${list.join('\n')}\nTemplate (1): `, '1')
    return { folder: project, template: toTemplate(names[Number(answer) - 1] ?? answer) }
  } finally {
    closed.catch(() => {})
    terminal.close()
  }
}

function nextSteps(
  { name, isHere }: { readonly name: string; readonly isHere: boolean },
  template: TemplateName,
): string {
  const start = template === 'express' || template === 'tool' ? 'npm start' : 'npm run dev'
  const steps = [...(isHere ? [] : [`cd ${name}`]), 'npm install', start]
  return `Created ${name}. Next:\n\n${steps.map(step => `  ${step}\n`).join('')}\n`
}

/** The command-line agents that the suite drives: what to install, and how each is pointed at the gateway. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Installable } from './installed.ts'

export interface Place {
  /** The gateway's address. */
  readonly url: string
  /** A temporary folder, used as the user's home. */
  readonly home: string
}

export interface CliAgent extends Installable {
  readonly wires: readonly ('openai-chat' | 'anthropic-messages')[]
  /** Writes what it reads at its start; resolves to its arguments. */
  readonly prepare: (
    wire: 'openai-chat' | 'anthropic-messages',
    place: Place,
    prompt: string,
  ) => Promise<readonly string[]>
}

const pi: CliAgent = {
  name: 'pi',
  package: '@mariozechner/pi-coding-agent',
  version: '0.73.1',
  program: 'dist/cli.js',
  wires: ['openai-chat', 'anthropic-messages'],
  async prepare(wire, { url, home }, prompt) {
    const isChat = wire === 'openai-chat'
    const provider = {
      baseUrl: isChat ? `${url}/v1` : url,
      api: isChat ? 'openai-completions' : 'anthropic-messages',
      apiKey: 'sk-test',
      models: [{ id: 'demo' }],
    }
    await write(join(home, '.pi/agent'), 'models.json', JSON.stringify({ providers: { toolwire: provider } }))
    return ['-p', '--provider', 'toolwire', '--model', 'demo', prompt]
  },
}

const cn: CliAgent = {
  name: 'cn',
  package: '@continuedev/cli',
  version: '1.5.47',
  program: 'dist/cn.js',
  wires: ['openai-chat', 'anthropic-messages'],
  async prepare(wire, { url, home }, prompt) {
    const provider = wire === 'openai-chat' ? 'openai' : 'anthropic'
    const config = [
      'name: toolwire',
      'version: 1.0.0',
      'schema: v1',
      'models:',
      '  - name: demo',
      `    provider: ${provider}`,
      '    model: demo',
      '    apiKey: sk-test',
      `    apiBase: ${url}/v1/`,
      '    roles: [chat]',
      '    capabilities: [tool_use]',
    ].join('\n')
    const path = await write(join(home, '.continue'), 'config.yaml', config)
    return ['-p', '--auto', '--config', path, prompt]
  },
}

export const AGENTS: readonly CliAgent[] = [pi, cn]

async function write(folder: string, name: string, text: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

/** Earlier major versions of the AI SDK that are in wide use; the current one is among the project's own packages. */
import type { Installable } from './installed.ts'

const aiSdk = (version: string, ...others: readonly string[]): Installable => ({
  name: 'ai',
  package: 'ai',
  version,
  program: 'dist/index.mjs',
  others,
})

export const AI_SDKS: readonly Installable[] = [
  aiSdk('5.0.277', '@ai-sdk/anthropic@2.0.112', '@ai-sdk/openai-compatible@1.0.61', '@ai-sdk/openai@2.0.131'),
  aiSdk('6.0.326', '@ai-sdk/anthropic@3.0.138', '@ai-sdk/openai-compatible@2.0.87', '@ai-sdk/openai@3.0.139'),
]

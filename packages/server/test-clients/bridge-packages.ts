/** The provider packages of the AI SDK that the bridge is tried with. */
import type { Installable } from './installed.ts'

export const bridgePackages: Installable = {
  name: 'bridge',
  package: '@ai-sdk/google',
  version: '4.0.118',
  program: 'dist/index.js',
  others: [
    '@ai-sdk/anthropic@4.0.79',
    '@ai-sdk/mistral@4',
    '@ai-sdk/openai@4.0.115',
    '@ai-sdk/openai-compatible@3.0.68',
  ],
}

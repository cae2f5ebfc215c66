/** Clients of the Responses API that are not among the project's own packages. */
import type { Installable } from './installed.ts'

export const responsesClients: Installable = {
  name: 'responses',
  package: 'ai',
  version: '7.0.170',
  program: 'dist/index.js',
  others: [
    '@ai-sdk/openai@4.0.115',
    '@ai-sdk/open-responses@2.0.36',
    '@langchain/openai@1.6.0',
    '@langchain/core@1.2.13',
    'zod@4',
  ],
}

/** Texts of the slash commands in English. */
import type { ShowPhrases } from './phrase-book.ts'

export const SHOW_ENGLISH: ShowPhrases = {
  helpHead: 'These commands show one thing each:',
  unknownCommand: name => `There is no command ${name}.`,
  needsTool: 'This needs a tool, and the request offers none that fits.',
  needsClientTool: 'This needs a tool that your own page brings, and the request offers none.',
  before: {
    parallel: 'Several calls in one message:',
    big: 'A call with a large input follows.',
    error: 'This call will fail.',
    badjson: 'The arguments of this call are not JSON.',
    maxtokens: 'The output limit will cut this call off.',
    unknown: 'This tool does not exist.',
    invalid: 'The arguments of this call break the schema.',
    ask: 'This call changes something, so it should ask you first.',
    client: 'This tool runs on your side.',
  },
  think: {
    thinking:
      'The question is how to show thinking. First I state what is asked: a visible chain of thought. Then I check what I know: thinking comes before the answer, in its own block, with a signature that must be sent back unchanged. That is enough to answer.',
    answer: 'I thought about it first: the block above holds my reasoning and carries a signature.',
  },
  refuse: 'I cannot help with that.',
  slow: [
    'This answer ',
    'takes its ',
    'time, ',
    'so that you can ',
    'watch it grow, ',
    'reload the page, ',
    'or cancel it.',
  ],
  longSentences: [
    'Every event of a session is written down before anyone sees it.',
    'A reader who comes late gets the same events in the same order.',
    'A pause holds nothing in memory, so it may last for months.',
    'The answer to a question is one more event.',
    'Tools run once, and their results are kept.',
    'What was said cannot be unsaid, but it can be read again.',
  ],
  markdown: `# Markdown

A paragraph with **bold**, *italic*, \`code\` and a [link](https://example.com).

1. First
2. Second
   - nested
   - 中文条目

| Name | Size | Note |
|---|---:|---|
| file.txt | 1024 | plain |
| 说明.md | 2048 | 中文，全角标点 |

\`\`\`ts
const greet = (name: string) => \`你好, \${name}! 👋\`
\`\`\`

> A quote, and a formula: a² + b² = c²

- [x] done
- [ ] open`,
  unknownScenario: (name, known) => `There is no scenario “${name}”. Known: ${known.join(', ')}.`,
  scenarioOff: 'Back to normal.',
}

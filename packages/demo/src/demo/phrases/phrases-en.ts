/** The demo model's English phrases. */
import type { Intent } from '../understand/intent.ts'
import type { Phrases } from './phrase-book.ts'
import { SHOW_ENGLISH } from './show-phrases-en.ts'

const bullets = (items: readonly string[]): string => items.map(item => `- ${item}`).join('\n')
const fenced = (text: string): string => `\`\`\`\n${text}\n\`\`\``

export const ENGLISH: Phrases = {
  greeting:
    'Hello! I am the demo model: offline, deterministic, no key needed. Ask me to list the files, read one, search, or run a command; `/help` shows what else I can do.',
  fallback: text =>
    `I am the demo model and follow simple requests only, so I have no answer to “${text}”. Try “list the files”, “read README.md” or “search for TODO”, or type \`/help\`. For open questions, connect a real model: Settings → Model providers, or set \`ANTHROPIC_API_KEY\` or \`OPENAI_API_KEY\` and restart.`,
  intro,
  severalIntro: count => `I'll do these ${count} things at once.`,
  nextStep: 'Now the next step.',
  noTool: intent => `I have no tool for that here: ${subject(intent)}.`,
  forcedIntro: name => `I'll call ${name}, as requested.`,
  mayNotCall: 'Tool calls are switched off for this request, so I can only say what I would do:',
  thinking: (text, calls) =>
    calls.length === 0
      ? `The user says “${text}”. No tool is needed for that; a direct answer will do.`
      : `The user says “${text}”. That needs ${calls.join(', ')}. I have everything the call asks for, so I make it now and answer from its result.`,
  listing: (names, path) =>
    `${path === undefined ? 'The current directory' : path} contains:\n${bullets(names)}`,
  emptyListing: 'The directory is empty.',
  more: count => `… and ${count} more`,
  file: (path, lines, excerpt) =>
    `${path} has ${lines} ${lines === 1 ? 'line' : 'lines'}. It begins:\n\n${fenced(excerpt)}`,
  emptyFile: path => `${path} is empty.`,
  matches: (pattern, lines, total) =>
    `I found “${pattern}” in ${total} ${total === 1 ? 'line' : 'lines'}:\n${bullets(lines)}`,
  noMatches: pattern => `Nothing matches “${pattern}”.`,
  found: (pattern, names) => `These files match ${pattern}:\n${bullets(names)}`,
  ran: (command, output) =>
    output === ''
      ? `\`${command}\` succeeded without output.`
      : `\`${command}\` printed:\n\n${fenced(output)}`,
  wrote: path => `I wrote ${path}.`,
  edited: (path, from, to) => `I replaced “${from}” with “${to}” in ${path}.`,
  time: output => `It is ${output}.`,
  told: (name, output) => `${name} answered: ${output}`,
  remembered: note => `Noted: ${note}`,
  failed: (name, message) =>
    `${name} failed: ${message}\nI would check the arguments and try again, or try another way if you name one.`,
  exitCode: (command, code, message) =>
    `\`${command}\` ended with exit code ${code}:\n\n${fenced(message)}\nI would fix the cause before running it again.`,
  missingFile: (path, candidates) =>
    candidates.length === 0
      ? `${path} does not exist, and I found no file with a similar name.`
      : `${path} does not exist. Did you mean one of these?\n${bullets(candidates)}`,
  amended: reason => `You said: ${reason}. Then like this:`,
  denied: (name, reason) =>
    `All right, I will not run ${name}. The reason given: ${reason}\n\nWhat should I do instead?`,
  tooManyRounds: rounds => `I stop here after ${rounds} rounds of tool calls; this is what I have.`,
  show: SHOW_ENGLISH,
}

function intro(intent: Intent): string {
  switch (intent.type) {
    case 'list':
      return `Let me look at ${intent.path ?? 'the current directory'}.`
    case 'read':
      return `I'll read ${intent.path}.`
    case 'search':
      return `I'll search for “${intent.pattern}”.`
    case 'find':
      return `I'll look for files that match ${intent.pattern}.`
    case 'run':
      return `I'll run \`${intent.command}\`.`
    case 'write':
      return `I'll write ${intent.path}.`
    case 'edit':
      return `I'll read ${intent.path} first, then change it.`
    case 'time':
      return 'Let me check the time.'
    case 'weather':
      return intent.place === ''
        ? 'Let me look up the weather.'
        : `Let me look up the weather in ${intent.place}.`
    case 'web':
      return 'I need to search the web for that.'
    case 'fetch':
      return `I'll fetch ${intent.url}.`
    case 'remember':
      return "I'll write that down."
    case 'recall':
      return 'Let me see what I noted.'
    case 'agent':
      return "I'll hand this to an agent."
    case 'tool':
      return `I'll call ${intent.name}.`
  }
}

function subject(intent: Intent): string {
  switch (intent.type) {
    case 'list':
      return 'listing files'
    case 'read':
      return `reading ${intent.path}`
    case 'search':
      return 'searching files'
    case 'find':
      return 'finding files'
    case 'run':
      return 'running commands'
    case 'write':
    case 'edit':
      return `changing ${intent.path}`
    case 'time':
      return 'showing the time'
    case 'weather':
      return 'looking up the weather'
    case 'web':
    case 'fetch':
      return 'reaching the web'
    case 'remember':
    case 'recall':
      return 'keeping notes'
    case 'agent':
      return 'starting an agent'
    case 'tool':
      return intent.name
  }
}

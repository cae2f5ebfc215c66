/** Groups of routes in the API description. */

/** In the order of the reference. */
export const TAGS: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'Sessions', description: 'A session is a list of events; everything else is read from it.' },
  { name: 'Conversation', description: 'The streaming chat API, and answers to what a run waits for.' },
  { name: 'Tools', description: 'What models can call.' },
  { name: 'Permissions', description: 'What calls may do without being asked about.' },
  { name: 'MCP', description: 'Servers whose tools are used here.' },
  { name: 'Memory', description: 'Notes that models keep for later sessions.' },
  {
    name: 'Prompts',
    description: 'Instructions of the owner, skills, and folders whose instruction files are loaded.',
  },
  { name: 'Files', description: 'What users send to models: stored once, named in messages by their ids.' },
  { name: 'Agents', description: 'Named settings of sessions, in versions.' },
  { name: 'Thread protocol', description: 'Threads, with errors in their own words.' },
  {
    name: 'Front ends',
    description: 'Pages built with the AI SDK, AG-UI or CopilotKit arrive here by changing one URL.',
  },
  { name: 'Gateway', description: 'Clients of OpenAI and Anthropic arrive here unchanged.' },
  { name: 'Sign-in', description: 'Browser tokens for end users, and tickets for requests without headers.' },
  { name: 'Server', description: 'Health, metrics, settings and keys.' },
  { name: 'Web app', description: 'Pages for people.' },
]

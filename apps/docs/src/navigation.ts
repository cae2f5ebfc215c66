/**
 * The place of every page of `docs/` in the navigation. A new page needs one line here; a test names pages without one.
 * Pages are paths below `docs/` without `.md`; their titles are their first headings.
 */
export interface Section {
  readonly title: string
  readonly zh: string
  readonly pages: readonly string[]
}

export const SECTIONS: readonly Section[] = [
  { title: 'Start', zh: '开始', pages: ['README', 'start', 'create'] },
  { title: 'Concepts', zh: '概念', pages: ['concepts', 'glossary', 'session-ids'] },
  {
    title: 'Guides',
    zh: '指南',
    pages: [
      'web-app',
      'embedding',
      'own-tools',
      'hooks',
      'mcp',
      'mcp-server',
      'prompt',
      'skills',
      'files',
      'agents',
      'models',
      'demo-model',
      'ui-packages',
      'ai-sdk',
      'ag-ui',
      'file-rules',
      'permissions-explain',
      'sandbox',
      'undo',
      'branches',
      'claude-agent-sdk',
      'eval',
    ],
  },
  {
    title: 'Providers',
    zh: '提供方',
    pages: [
      'providers',
      'providers/openai',
      'providers/anthropic',
      'providers/ollama',
      'providers/openrouter',
      'providers/azure',
      'providers/gemini',
      'providers/ai-sdk',
    ],
  },
  {
    title: 'Recipes',
    zh: '配方',
    pages: [
      'recipes/own-tool',
      'recipes/end-users',
      'recipes/sign-in',
      'recipes/other-client',
      'recipes/two-servers',
      'recipes/test-a-front-end',
    ],
  },
  {
    title: 'Clients',
    zh: '客户端',
    pages: [
      'clients/claude-code',
      'clients/codex',
      'clients/opencode',
      'clients/cursor',
      'clients/continue',
      'clients/ai-sdk',
      'clients/langchain',
      'python',
      'sse',
      'repository/client',
      'repository/react',
      'repository/vue',
      'repository/python',
    ],
  },
  {
    title: 'Reference',
    zh: '参考',
    pages: [
      'api',
      'streaming-api',
      'steering',
      'thread-protocol',
      'gateway',
      'responses',
      'http',
      'cli',
      'commands',
      'configuration',
      'tools',
      'calls',
      'events',
      'errors',
      'typescript',
    ],
  },
  { title: 'Compare', zh: '比较', pages: ['compare'] },
  { title: 'Troubleshooting', zh: '故障排查', pages: ['troubleshooting'] },
  {
    title: 'Operate',
    zh: '运维',
    pages: ['operations', 'scale', 'security', 'reliability', 'performance', 'performance-results'],
  },
  {
    title: 'Upgrade',
    zh: '升级',
    pages: [
      'upgrade',
      'repository/changelog',
      'decisions/README',
      'decisions/0001-no-engine-flags',
      'decisions/0002-vendor-streams-without-ids',
      'decisions/0003-hidden-characters',
      'decisions/0004-one-dispatcher',
    ],
  },
]

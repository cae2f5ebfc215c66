/** Routes of agents: they find the agents of the owner alone, see agents.test.ts. */
export const AGENT_ROWS = {
  'POST /api/agents': { own: 'agents of the owner' },
  'GET /api/agents': { own: 'agents of the owner' },
  'GET /api/agents/:id': { own: 'agents of the owner' },
  'POST /api/agents/:id': { own: 'agents of the owner' },
  'GET /api/agents/:id/versions': { own: 'agents of the owner' },
  'POST /api/agents/:id/archive': { own: 'agents of the owner' },
} as const

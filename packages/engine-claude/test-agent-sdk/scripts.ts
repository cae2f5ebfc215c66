/** What the fake model says, turn by turn. */
import type { Turn } from './stage.ts'

export const weather = (id: string, city: string): Turn => ({
  type: 'tool_call',
  id,
  name: 'mcp__gateway__get_weather',
  input: { city },
})

/** Two calls of a client tool in one message, then an answer, then a goodbye. */
export const WEATHER: readonly Turn[] = [
  {
    when: { turn: 1 },
    emit: [
      { type: 'thinking', text: 'Two cities.' },
      { type: 'text', text: 'Let me look.' },
      weather('toolu_A1', 'Paris'),
      weather('toolu_A2', 'Oslo'),
    ],
  },
  { when: { turn: 2 }, emit: [{ type: 'text', text: 'Sun and rain.' }] },
  { emit: [{ type: 'text', text: 'You are welcome.' }] },
]

export const CALLS = {
  role: 'assistant',
  content: [
    'thinking',
    'Let me look.',
    { call: 'toolu_A1', name: 'mcp__gateway__get_weather', input: { city: 'Paris' } },
    { call: 'toolu_A2', name: 'mcp__gateway__get_weather', input: { city: 'Oslo' } },
  ],
}
export const RESULTS = [
  { result: 'toolu_A1', text: ['sun'] },
  { result: 'toolu_A2', text: ['no such city'], error: true },
]
/** The program's own text when it continues a conversation that ends in results. */
export const TAKEN_UP = 'Continue from where you left off.'

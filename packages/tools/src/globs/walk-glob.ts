/**
 * Matches a path against a glob without a regular expression. The glob becomes states with edges between them, and all
 * states that can be reached are followed at once: the time is the length of the path times that of the glob.
 */
import type { GlobStep } from './parse-glob.ts'

interface Edge {
  readonly to: State
  /** The character that the edge takes; without it the edge takes none. */
  readonly fits?: (char: string) => boolean
  /** The only position where an empty edge can be taken. */
  readonly only?: 'at the start of a name' | 'at the end'
}

interface State {
  readonly edges: Edge[]
  /** The last tick in which it was reached. */
  reached: number
}

export interface GlobStates {
  readonly first: State
  readonly last: State
}

export function toStates(steps: readonly GlobStep[]): GlobStates {
  const first = newState()
  return { first, last: addSteps(steps, first) }
}

/** The number of characters in all paths so far, so that states need no reset. */
let tick = 0

export function walkGlob({ first, last }: GlobStates, path: string): boolean {
  let reached: State[] = []
  tick += 1
  enter(first, path, 0, reached)
  for (let at = 0; at < path.length && reached.length > 0; at++) {
    const char = path.charAt(at)
    const next: State[] = []
    tick += 1
    for (const state of reached)
      for (const { fits, to } of state.edges) if (fits?.(char)) enter(to, path, at + 1, next)
    reached = next
  }
  return reached.includes(last)
}

/** Adds the state, and those that are reached from it without a character. */
function enter(state: State, path: string, at: number, reached: State[]): void {
  if (state.reached === tick) return
  state.reached = tick
  reached.push(state)
  for (const edge of state.edges) if (!edge.fits && isOpen(edge, path, at)) enter(edge.to, path, at, reached)
}

function isOpen({ only }: Edge, path: string, at: number): boolean {
  if (only === undefined) return true
  return only === 'at the end' ? at === path.length : at === 0 || path.charAt(at - 1) === '/'
}

/** Returns the state behind the steps. */
const addSteps = (steps: readonly GlobStep[], from: State): State =>
  steps.reduce((state, step) => addStep(step, state), from)

function addStep(step: GlobStep, from: State): State {
  const to = newState()
  switch (step.type) {
    case 'char':
      from.edges.push({ to, fits: step.fits })
      break
    case 'star':
      from.edges.push({ to: loop(char => char !== '/', { to }) })
      break
    case 'directories':
      from.edges.push({ to })
      from.edges.push({ only: 'at the start of a name', to: loop(() => true, { to, fits: isSlash }) })
      break
    case 'below':
      from.edges.push({ fits: isSlash, to: loop(() => true, { to, only: 'at the end' }) })
      if (step.orEnd) from.edges.push({ to, only: 'at the end' })
      break
    case 'ways': {
      const begin = newState()
      from.edges.push({ to: begin })
      if (step.least === 0) from.edges.push({ to })
      for (const way of step.ways) {
        const start = newState()
        begin.edges.push({ to: start })
        const end = addSteps(way, start)
        end.edges.push({ to })
        if (step.repeats) end.edges.push({ to: begin })
      }
    }
  }
  return to
}

const newState = (): State => ({ edges: [], reached: 0 })

const isSlash = (char: string): boolean => char === '/'

/** A state that takes any number of characters that fit before it is left. */
function loop(fits: (char: string) => boolean, leave: Edge): State {
  const state = newState()
  state.edges.push(leave, { to: state, fits })
  return state
}

/**
 * Whether a path fits a glob, without an expression: all places that can be reached are followed at once, so the time
 * is at most the length of the path times that of the glob, and once more the path's where parts repeat.
 */
import type { GlobStep } from './parse-glob.ts'

export const walkGlob = (steps: readonly GlobStep[], path: string): boolean =>
  followAll(steps, new Set([0]), path).has(path.length)

type Ways = Extract<GlobStep, { type: 'ways' }>
type Places = ReadonlySet<number>

function followAll(steps: readonly GlobStep[], from: Places, path: string): Places {
  return steps.reduce((places, step) => (places.size === 0 ? places : follow(step, places, path)), from)
}

function follow(step: GlobStep, from: Places, path: string): Places {
  switch (step.type) {
    case 'char':
      return new Set([...from].filter(at => at < path.length && step.fits(path.charAt(at))).map(at => at + 1))
    case 'star':
      return through(from, path)
    case 'directories':
      return new Set([...from, ...laterStarts(from, path)])
    case 'below':
      return new Set(
        [...from].some(at => path.charAt(at) === '/' || (step.orEnd && at === path.length))
          ? [path.length]
          : [],
      )
    case 'ways':
      return choose(step, from, path)
  }
}

/** Every place that is reached without crossing a slash. */
function through(from: Places, path: string): Places {
  const places = new Set<number>()
  let going = false
  for (let at = 0; at <= path.length; at++) {
    going ||= from.has(at)
    if (going) places.add(at)
    if (path.charAt(at) === '/') going = false
  }
  return places
}

/** The beginnings of names behind the first place, if that is the beginning of one. */
function laterStarts(from: Places, path: string): readonly number[] {
  const first = [...from]
    .filter(at => at === 0 || path.charAt(at - 1) === '/')
    .reduce((a, b) => Math.min(a, b), path.length)
  const starts: number[] = []
  for (let at = path.indexOf('/', first); at !== -1; at = path.indexOf('/', at + 1)) starts.push(at + 1)
  return starts
}

function choose(step: Ways, from: Places, path: string): Places {
  const reached = new Set<number>(step.least === 0 ? from : [])
  for (let latest = from; latest.size > 0; ) {
    const next = new Set(
      step.ways.flatMap(way => [...followAll(way, latest, path)]).filter(at => !reached.has(at)),
    )
    for (const at of next) reached.add(at)
    if (!step.repeats) break
    latest = next
  }
  return reached
}

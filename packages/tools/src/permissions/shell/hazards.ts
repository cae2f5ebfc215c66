/**
 * Parts of a shell line that are no command and can run one all the same, or change what a later one
 * means. A number in a shell may be the name of a variable, whose text is evaluated again: an array
 * subscript in it runs what it holds. So every place that takes a number from a name is such a part.
 */
import { nodes, type SyntaxNode, walk } from './syntax-node.ts'

/**
 * The reason that the node could do more than it shows; undefined if it cannot. Pure; checks the node itself, not
 * below it.
 */
export function hazardOf(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'TestCommand':
      return 'a test in it evaluates its operands, which can run a command'
    case 'ArithmeticCommand':
    case 'ArithmeticFor':
      return EVALUATES
    case 'ArithmeticExpansion':
      return hasOnlyNumbers(node) ? undefined : EVALUATES
    case 'ParameterExpansion':
      return hazardOfParameter(node)
    case 'Assignment':
      return node['index'] !== undefined || elementsOf(node).some(isSubscripted) ? EVALUATES : undefined
    case 'FileDescriptorVariable':
      return 'a redirection in it sets a variable'
    case 'Function':
      return 'it defines a function, which may stand in for a program'
    case 'Coproc':
      return 'it starts a command beside it'
    case 'Select':
      return 'it waits for a choice at the terminal'
    default:
      return undefined
  }
}

const EVALUATES = 'a number in it is evaluated, which can run a command'
const NUMBER = /^\s*-?\d+\s*$/

function hasOnlyNumbers(node: SyntaxNode): boolean {
  let only = node['expression'] !== undefined
  walk(node['expression'], one => {
    if (one.type === 'ArithmeticWord' && !NUMBER.test(String(one['value'] ?? ''))) only = false
  })
  return only
}

function hazardOfParameter(node: SyntaxNode): string | undefined {
  if (node['prefix'] === '!') return 'a variable in it is named by another one'
  const index = textOf(node['index'])
  if (index !== undefined && !/^[@*]$/.test(index) && !NUMBER.test(index)) return EVALUATES
  const operation = node['operation'] as SyntaxNode | undefined
  switch (operation?.type) {
    case 'Transform':
      return 'a variable in it is expanded once more, which can run a command'
    case 'Slice': {
      const ends = [textOf(operation['offset']), textOf(operation['length'])]
      return ends.every(end => end === undefined || NUMBER.test(end)) ? undefined : EVALUATES
    }
    case 'Unknown':
      return 'an expansion in it is not known'
    default:
      return undefined
  }
}

const textOf = (word: unknown): string | undefined =>
  word === undefined || word === null ? undefined : String((word as SyntaxNode)['text'] ?? '')

/** Of `a=(x [1]=y)` the words between the parentheses. */
const elementsOf = (assignment: SyntaxNode): readonly SyntaxNode[] =>
  nodes((assignment['value'] as SyntaxNode | undefined)?.['elements'])

const isSubscripted = (element: SyntaxNode): boolean => /^\[/.test(String(element['text'] ?? ''))

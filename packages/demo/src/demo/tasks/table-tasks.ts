/** Questions about a CSV file: largest, smallest, sum, average, a table, a chart. */
import type { Language } from '../phrases/language.ts'
import { foundPaths } from '../understand/read-listing.ts'
import { isNumeric, numbersOf, parseTable, sortedBy, type Table, toBars, toMarkdown } from './table.ts'
import { fenced, fileLines, find, read, say, type Task, type TaskContext, type TaskRun } from './task.ts'

const COLUMNS: readonly (readonly [word: RegExp, column: RegExp])[] = [
  [/visitors?|游客|遊客|访客|訪客/iu, /visitor/i],
  [/boats?|船/iu, /boat/i],
]
const OPERATIONS = {
  max: /\b(?:most|highest|busiest|maximum|max)\b|最多|最高|最大/iu,
  min: /\b(?:fewest|least|lowest|minimum|min)\b|最少|最低|最小/iu,
  average: /\b(?:average|mean)\b|平均/iu,
  sum: /\b(?:total|sum)\b|总共|一共|总数|总计|合计|總共|總數|總計|合計/iu,
  chart: /\b(?:plot|chart|graph)\b|图表|圖表|柱状图|長條圖|画.*图|畫.*圖/iu,
  table: /\btable\b|表格/iu,
} as const
type Operation = keyof typeof OPERATIONS

const SUBJECT = '(?:visitors?|boats?|sales|\\.csv|csv|游客|遊客|访客|訪客|船|销量|銷量)'
const ANY_OPERATION = Object.values(OPERATIONS)
  .map(pattern => pattern.source)
  .join('|')

export const TABLE_TASKS: readonly Task[] = [
  {
    pattern: new RegExp(
      `^(?!.*(?:python|function|函数|函式))(?=.*${SUBJECT})(?=.*(?:${ANY_OPERATION}))[^\\n]{1,200}$`,
      'iu',
    ),
    run: answerTable,
  },
]

function* answerTable(context: TaskContext): TaskRun {
  const { text, language } = context
  const named = /[\w./-]+\.csv/iu.exec(text)?.[0] ?? '*.csv'
  let path = named
  if (!named.includes('/')) {
    const looking = say(language, 'Let me find the data.', '我先找到数据文件。', '我先找到資料檔案。')
    const [found] = yield { say: looking, calls: [find(`**/${named}`)] }
    const [first] = foundPaths(found?.output ?? '')
    if (first === undefined)
      return say(
        language,
        `I found no file that matches ${named}.`,
        `没有找到与 ${named} 匹配的文件。`,
        `沒有找到與 ${named} 符合的檔案。`,
      )
    path = first
  }
  const reading = say(
    language,
    `Now I read ${base(path)}.`,
    `接着读取 ${base(path)}。`,
    `接著讀取 ${base(path)}。`,
  )
  const [file] = yield { say: reading, calls: [read(path)] }
  const table = parseTable(fileLines(file?.output ?? ''))
  if (!table)
    return say(
      language,
      `${base(path)} holds no table that I can read.`,
      `${base(path)} 里没有可以读取的表格。`,
      `${base(path)} 裡沒有可以讀取的表格。`,
    )
  return describeTable(table, base(path), context)
}

const base = (path: string): string => path.split('/').at(-1) ?? path

interface Question {
  readonly table: Table
  readonly path: string
  readonly text: string
  readonly language: Language
  /** The numeric column that is asked about, and the one that names rows. */
  readonly column: number
  readonly label: number
}

function describeTable(table: Table, path: string, { text, language }: TaskContext): string {
  const operation =
    (Object.keys(OPERATIONS) as Operation[]).find(name => OPERATIONS[name].test(text)) ?? 'table'
  const label = Math.max(
    0,
    table.header.findIndex((_, at) => !isNumeric(table, at)),
  )
  return ANSWERS[operation]({ table, path, text, language, column: columnOf(table, text), label })
}

const ANSWERS: Readonly<Record<Operation, (question: Question) => string>> = {
  max: question => extreme(question, true),
  min: question => extreme(question, false),
  sum: ({ table, column, language }) => {
    const name = table.header[column] ?? ''
    const { steps } = sumOf(table, column)
    return say(language, `Total ${name}: ${steps}.`, `${name} 合计：${steps}。`, `${name} 合計：${steps}。`)
  },
  average,
  chart: ({ table, path, column, label, language }) => {
    const name = table.header[column] ?? ''
    const bars = fenced(toBars(table, label, column))
    const row = table.header[label] ?? ''
    return say(
      language,
      `${name} per ${row}, from ${path}:\n\n${bars}`,
      `${path} 中每个 ${row} 的 ${name}：\n\n${bars}`,
      `${path} 中每個 ${row} 的 ${name}：\n\n${bars}`,
    )
  },
  table: ({ table, path, column, text, language }) => {
    const name = table.header[column] ?? ''
    const isSorted = /sorted|sort by|排序|排列/iu.test(text)
    const shown = toMarkdown(isSorted ? sortedBy(table, column) : table)
    return say(
      language,
      `${path} as a table${isSorted ? `, sorted by ${name}` : ''}:\n\n${shown}`,
      `${path} 的表格${isSorted ? `，按 ${name} 排序` : ''}：\n\n${shown}`,
      `${path} 的表格${isSorted ? `，依 ${name} 排序` : ''}：\n\n${shown}`,
    )
  },
}

function sumOf(table: Table, column: number): { readonly sum: number; readonly steps: string } {
  const numbers = numbersOf(table, column)
  const sum = numbers.reduce((all, one) => all + one, 0)
  return { sum, steps: `${numbers.join(' + ')} = ${sum}` }
}

function extreme({ table, path, column, label, language }: Question, isMost: boolean): string {
  const numbers = numbersOf(table, column)
  const value = isMost ? Math.max(...numbers) : Math.min(...numbers)
  const row = table.rows[numbers.indexOf(value)]?.[label] ?? ''
  const name = table.header[column] ?? ''
  return say(
    language,
    `${row} had the ${isMost ? 'most' : 'fewest'} ${name}: **${value}** (${path}).`,
    `${name} ${isMost ? '最多' : '最少'}的是 ${row}：**${value}**（${path}）。`,
    `${name} ${isMost ? '最多' : '最少'}的是 ${row}：**${value}**（${path}）。`,
  )
}

function average({ table, column, language }: Question): string {
  const name = table.header[column] ?? ''
  const { sum, steps } = sumOf(table, column)
  const value = Number((sum / table.rows.length).toFixed(2))
  const formula = `${steps}, ${sum} / ${table.rows.length} = ${value}`
  return say(
    language,
    `Average ${name}: **${value}**. Steps: ${formula}.`,
    `${name} 的平均值：**${value}**。计算过程：${formula}。`,
    `${name} 的平均值：**${value}**。計算過程：${formula}。`,
  )
}

/** The numeric column that the text names; the last one when it names none. */
function columnOf(table: Table, text: string): number {
  const numeric = table.header.flatMap((_, at) => (isNumeric(table, at) ? [at] : []))
  const wanted = COLUMNS.find(([word]) => word.test(text))?.[1]
  const named = numeric.find(at => wanted?.test(table.header[at] ?? ''))
  const literal = numeric.find(at => text.toLowerCase().includes((table.header[at] ?? '').toLowerCase()))
  return named ?? literal ?? numeric.at(-1) ?? 0
}

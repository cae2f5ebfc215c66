/** Tasks that read files and say what is in them: the project, an explanation, a comparison, a summary, a review. */
import type { Language } from '../phrases/language.ts'
import { pathsIn } from '../understand/mentions.ts'
import { foundPaths } from '../understand/read-listing.ts'
import { type CodePart, outline } from './outline.ts'
import { joinParagraphs, paragraphs, translate } from './sample-texts.ts'
import {
  bullets,
  fenced,
  fileLines,
  find,
  grep,
  locate,
  read,
  say,
  type Task,
  type TaskContext,
  type TaskRun,
  write,
} from './task.ts'

const FILE = '[\\p{L}\\p{N}_./-]+\\.[A-Za-z]{1,5}'

export const READING_TASKS: readonly Task[] = [
  {
    pattern:
      /\bwhat is this (?:project|repo|repository|folder)\b|\bwhat does this project\b|这个?(?:项目|仓库)是(?:做|干)?什么|這個?(?:專案|項目)是(?:做|在做)?什麼/iu,
    run: describeProject,
  },
  {
    pattern: new RegExp(`\\bexplain\\s+(?:the\\s+(?:file|code)\\s+)?(?<file>${FILE})`, 'iu'),
    run: explainFile,
  },
  {
    pattern: new RegExp(`(?:解释|解釋|说明|說明|讲解|講解)(?:一下)?\\s*(?<file>${FILE})`, 'iu'),
    run: explainFile,
  },
  { pattern: /\bcompare\b|\bdifferences? between\b|比较|比較|对比|對比/iu, run: compareFiles },
  { pattern: /\breview\b.*(?:\/|\bcode\b)|(?:审查|審查|检查|檢查).*(?:代码|程式碼)/iu, run: reviewCode },
  {
    pattern: new RegExp(
      `\\btranslate\\s+(?<file>${FILE}|README)\\s+(?:in)?to\\s+(?<target>\\w+(?: Chinese)?)`,
      'iu',
    ),
    run: translateFile,
  },
  {
    pattern: new RegExp(
      `(?:把|将|將)\\s*(?<file>${FILE}|README)\\s*(?:翻译|翻譯)(?:成|为|為)\\s*(?<target>\\p{L}+)`,
      'iu',
    ),
    run: translateFile,
  },
  {
    pattern: new RegExp(`\\bshow\\s+(?:me\\s+)?(?<file>${FILE})\\s+in\\s+(?<target>English|Chinese)`, 'iu'),
    run: showTranslated,
  },
  {
    pattern:
      /\bsummari[sz]e\b.*\b(?:notes|meeting)|(?:meeting\.md|会议记录|會議記錄).*(?:重点|重點|总结|總結|摘要|说了什么|說了什麼|内容|內容)|(?:总结|總結|整理).*(?:会议|會議|meeting)/iu,
    run: summarizeNotes,
  },
  {
    pattern:
      /\b(?:find|list|show)\s+(?:me\s+)?(?:every|all(?:\s+the)?)\s+todos?\b|(?:所有|全部)的?(?:待办|待辦|TODO)/iu,
    run: findTodos,
  },
  {
    pattern:
      /(?:提到|包含|有关|有關)(?<word>[\p{L}]{2,12}?)的(?:地方|文件|檔案|内容|內容)|\bmentions? of (?<word>\w+)/iu,
    run: findMentions,
  },
]

const reading = (language: Language, path: string): string =>
  say(
    language,
    `I read ${shortName(path)}.`,
    `我来读取 ${shortName(path)}。`,
    `我來讀取 ${shortName(path)}。`,
  )
const shortName = (path: string): string => path.split('/').slice(-2).join('/')
const limits = (language: Language): string =>
  say(
    language,
    'This is as far as the demo model goes; a real model can say more (Settings → Model providers).',
    '演示模型只能做到这里；真正的模型可以说得更多（设置 → 模型提供商）。',
    '示範模型只能做到這裡；真正的模型可以說得更多（設定 → 模型供應商）。',
  )

function* describeProject(context: TaskContext): TaskRun {
  const { language } = context
  const [file] = yield { say: reading(language, 'README.md'), calls: [read('README.md')] }
  const lines = fileLines(file?.output ?? '')
  const texts = translate(lines, language) ?? paragraphs(lines)
  const title = texts.find(text => text.startsWith('#'))?.replace(/^#+\s*/, '') ?? 'README.md'
  const first = texts.find(text => /^[^#|`-]/.test(text)) ?? ''
  const parts = texts.filter(text => text.startsWith('- ')).map(text => text.slice(2))
  const sentence = /^.+?[.。](?=\s|$|[^\s])/u.exec(first)?.[0] ?? first
  return say(
    language,
    `**${title}**: ${sentence} It has ${parts.length > 0 ? parts.join('; ') : 'one README'}.`,
    `**${title}**：${sentence}它包含：${parts.join('；')}。`,
    `**${title}**：${sentence}它包含：${parts.join('；')}。`,
  )
}

function* explainFile(context: TaskContext, match: RegExpExecArray): TaskRun {
  const path = (yield* locate(match.groups?.['file'] ?? '', context.language)) ?? ''
  const { language } = context
  const [file] = yield { say: reading(language, path), calls: [read(path)] }
  const lines = fileLines(file?.output ?? '')
  const parts = outline(lines).map(part => explainPart(part, language))
  const head = say(
    language,
    `${shortName(path)} has ${lines.length} lines:`,
    `${shortName(path)} 共 ${lines.length} 行：`,
    `${shortName(path)} 共 ${lines.length} 行：`,
  )
  const body = parts.length > 0 ? bullets(parts) : fenced(lines.slice(0, 12).join('\n'))
  return `${head}\n${body}\n\n${limits(language)}`
}

function explainPart({ kind, line, name, signature, returns }: CodePart, language: Language): string {
  const where = say(language, `line ${line}`, `第 ${line} 行`, `第 ${line} 行`)
  switch (kind) {
    case 'todo':
      return say(
        language,
        `${where}: still to do: ${name}`,
        `${where}：待办：${name}`,
        `${where}：待辦：${name}`,
      )
    case 'import':
      return say(
        language,
        `${where}: imports \`${name}\``,
        `${where}：导入 \`${name}\``,
        `${where}：匯入 \`${name}\``,
      )
    case 'main':
      return say(
        language,
        `${where}: runs only when the file is started as a program`,
        `${where}：只有直接运行此文件时才执行`,
        `${where}：只有直接執行此檔案時才執行`,
      )
    case 'function': {
      const result =
        returns === undefined
          ? ''
          : say(language, `, returns \`${returns}\``, `，返回 \`${returns}\``, `，傳回 \`${returns}\``)
      return say(
        language,
        `${where}: function \`${name}\`: \`${signature}\`${result}`,
        `${where}：函数 \`${name}\`：\`${signature}\`${result}`,
        `${where}：函式 \`${name}\`：\`${signature}\`${result}`,
      )
    }
  }
}

function* compareFiles(context: TaskContext): TaskRun {
  const { language, text } = context
  const names = pathsIn(text).slice(0, 2)
  if (names.length < 2)
    return say(
      language,
      'Name the two files to compare.',
      '请给出要比较的两个文件。',
      '請給出要比較的兩個檔案。',
    )
  const first = yield* locate(names[0] ?? '', language)
  const second = yield* locate(names[1] ?? '', language)
  const paths = [first ?? '', second ?? '']
  const files = yield {
    say: say(language, 'I read both files.', '我来读取这两个文件。', '我來讀取這兩個檔案。'),
    calls: paths.map(read),
  }
  const rows = files.map((file, at) => {
    const lines = fileLines(file.output)
    const parts = outline(lines)
    const functions = parts.filter(part => part.kind === 'function')
    return { path: shortName(paths[at] ?? ''), lines, parts, functions }
  })
  const [a, b] = rows
  if (!a || !b) return ''
  const shared = a.functions.filter(one => b.functions.some(other => other.name === one.name))
  const both = shared.map(one => `\`${one.name}\``).join(', ') || '–'
  const only = (one: typeof a, other: typeof a) =>
    one.parts.filter(
      part =>
        !other.parts.some(same => same.kind === part.kind && part.kind !== 'todo' && same.name === part.name),
    )
  return [
    say(language, `Both define: ${both}.`, `两者都定义了：${both}。`, `兩者都定義了：${both}。`),
    bullets(
      rows.map(
        row =>
          `${row.path}: ${row.lines.length} ${say(language, 'lines', '行', '行')}, ${row.functions.map(one => `\`${one.signature}\``).join(', ')}`,
      ),
    ),
    say(language, 'Differences:', '不同之处：', '不同之處：'),
    bullets([
      ...only(a, b).map(part => `${a.path}: ${explainPart(part, language)}`),
      ...only(b, a).map(part => `${b.path}: ${explainPart(part, language)}`),
    ]),
  ].join('\n\n')
}

function* reviewCode(context: TaskContext): TaskRun {
  const { language, text } = context
  const folder = /([\w.-]+)\//.exec(text)?.[1] ?? 'src'
  const [found] = yield {
    say: say(language, `I look at ${folder}/.`, `我来看看 ${folder}/。`, `我來看看 ${folder}/。`),
    calls: [find(`${folder}/**/*`)],
  }
  const paths = foundPaths(found?.output ?? '').slice(0, 12)
  if (paths.length === 0)
    return say(language, `${folder}/ has no files.`, `${folder}/ 中没有文件。`, `${folder}/ 中沒有檔案。`)
  const files = yield {
    say: say(language, 'I read the files.', '我来读取这些文件。', '我來讀取這些檔案。'),
    calls: paths.map(read),
  }
  const findings = files.flatMap((file, at) =>
    outline(fileLines(file.output)).flatMap(part => {
      const where = `${shortName(paths[at] ?? '')}:${part.line}`
      if (part.kind === 'todo')
        return [
          say(
            language,
            `${where} still to do: ${part.name}`,
            `${where} 尚未完成：${part.name}`,
            `${where} 尚未完成：${part.name}`,
          ),
        ]
      if (part.kind === 'function' && !part.hasComment)
        return [
          say(
            language,
            `${where} \`${part.name}\` has no description`,
            `${where} \`${part.name}\` 没有说明`,
            `${where} \`${part.name}\` 沒有說明`,
          ),
        ]
      return []
    }),
  )
  const hasTests = paths.some(path => /test/i.test(path))
  const noTests = hasTests
    ? []
    : [say(language, `${folder}/ has no tests`, `${folder}/ 没有测试`, `${folder}/ 沒有測試`)]
  return `${say(language, `${findings.length + noTests.length} findings in ${paths.length} files:`, `${paths.length} 个文件中有 ${findings.length + noTests.length} 条发现：`, `${paths.length} 個檔案中有 ${findings.length + noTests.length} 項發現：`)}\n${bullets([...findings, ...noTests])}\n\n${limits(language)}`
}

function targetOf(word: string, language: Language): Language {
  if (/english|英文|英语|英語/iu.test(word)) return 'en'
  if (/traditional|繁/iu.test(word)) return 'zh-Hant'
  return language === 'zh-Hant' ? 'zh-Hant' : 'zh-Hans'
}

function* translateFile(context: TaskContext, match: RegExpExecArray): TaskRun {
  const { language } = context
  const path = (yield* locate(match.groups?.['file'] ?? '', context.language)) ?? ''
  const target = targetOf(match.groups?.['target'] ?? '', language)
  const [file] = yield { say: reading(language, path), calls: [read(path)] }
  const translated = translate(fileLines(file?.output ?? ''), target)
  if (!translated) return cannotTranslate(path, language)
  const copy = path.replace(
    /(\.\w+)$/,
    `.${target === 'en' ? 'en' : target === 'zh-Hant' ? 'zh-Hant' : 'zh'}$1`,
  )
  yield {
    say: say(
      language,
      `I write the translation to ${shortName(copy)}.`,
      `我把译文写入 ${shortName(copy)}。`,
      `我把譯文寫入 ${shortName(copy)}。`,
    ),
    calls: [write(copy, joinParagraphs(translated))],
  }
  return say(
    language,
    `The translation is in ${shortName(copy)}:\n\n${joinParagraphs(translated)}`,
    `译文在 ${shortName(copy)}：\n\n${joinParagraphs(translated)}`,
    `譯文在 ${shortName(copy)}：\n\n${joinParagraphs(translated)}`,
  )
}

const cannotTranslate = (path: string, language: Language): string =>
  say(
    language,
    `I can translate the sample files only, and ${shortName(path)} is not one of them. ${limits(language)}`,
    `我只能翻译示例文件，${shortName(path)} 不在其中。${limits(language)}`,
    `我只能翻譯範例檔案，${shortName(path)} 不在其中。${limits(language)}`,
  )

function* showTranslated(context: TaskContext, match: RegExpExecArray): TaskRun {
  const { language } = context
  const path = (yield* locate(match.groups?.['file'] ?? '', context.language)) ?? ''
  const [file] = yield { say: reading(language, path), calls: [read(path)] }
  const translated = translate(
    fileLines(file?.output ?? ''),
    targetOf(match.groups?.['target'] ?? '', language),
  )
  return translated ? `${shortName(path)}:\n\n${joinParagraphs(translated)}` : cannotTranslate(path, language)
}

function* summarizeNotes(context: TaskContext): TaskRun {
  const { language, text } = context
  const named = pathsIn(text)[0] ?? (/会议记录|會議記錄/u.test(text) ? '会议记录.md' : 'meeting.md')
  const path = (yield* locate(named, context.language)) ?? ''
  const [file] = yield { say: reading(language, path), calls: [read(path)] }
  const lines = fileLines(file?.output ?? '')
  const texts = translate(lines, language) ?? paragraphs(lines)
  const items = texts.filter(one => /^[-*] /.test(one)).map(one => one.slice(2))
  const count = Number(/(\d+)\s*(?:bullets|points|条|點)/iu.exec(text)?.[1] ?? 3)
  const chosen = (items.length > 0 ? items : texts.filter(one => !one.startsWith('#'))).slice(0, count)
  return `${say(language, `${shortName(path)} in short:`, `${shortName(path)} 的要点：`, `${shortName(path)} 的重點：`)}\n${bullets(chosen)}`
}

function* findTodos({ language }: TaskContext): TaskRun {
  const [found] = yield {
    say: say(language, 'I search for what is still to do.', '我来搜索待办事项。', '我來搜尋待辦事項。'),
    calls: [grep('TODO|FIXME|待办|待辦')],
  }
  return matchList(found?.output ?? '', language)
}

/** Words of the sample notes in the other languages. */
const SYNONYMS: readonly (readonly string[])[] = [
  ['灯笼', '燈籠', 'lantern'],
  ['渡轮', '渡輪', 'ferry'],
  ['码头', '碼頭', 'pier'],
]

function* findMentions({ language }: TaskContext, match: RegExpExecArray): TaskRun {
  const word = match.groups?.['word'] ?? ''
  const patterns = SYNONYMS.find(row => row.includes(word.toLowerCase())) ?? [word]
  const [found] = yield {
    say: say(
      language,
      `I search for ${patterns.join(', ')}.`,
      `我来搜索 ${patterns.join('、')}。`,
      `我來搜尋 ${patterns.join('、')}。`,
    ),
    calls: [
      {
        role: 'search',
        input: { pattern: patterns.join('|'), output_mode: 'content', '-n': true, '-i': true },
      },
    ],
  }
  return matchList(found?.output ?? '', language)
}

function matchList(output: string, language: Language): string {
  const lines = output.split('\n').filter(line => line.trim() !== '')
  if (lines.length === 0 || /^no (?:matches|files) found/iu.test(lines[0] ?? ''))
    return say(language, 'Nothing found.', '没有找到。', '沒有找到。')
  const shown = lines.slice(0, 20).map(line => line.trim().slice(0, 200))
  return `${say(language, `Found in ${lines.length} lines:`, `在 ${lines.length} 行中找到：`, `在 ${lines.length} 行中找到：`)}\n${bullets(shown)}`
}

/** Tasks that change files or run programs. Every change is a call that the permission rules decide about. */
import type { Language } from '../phrases/language.ts'
import { pathsIn, unquote } from '../understand/mentions.ts'
import { foundPaths } from '../understand/read-listing.ts'
import {
  bullets,
  edit,
  fenced,
  fileLines,
  find,
  grep,
  locate,
  read,
  say,
  shell,
  type Task,
  type TaskContext,
  type TaskRun,
  write,
} from './task.ts'

const VALUE = '"[^"]+"|\'[^\']+\'|`[^`]+`|“[^”]+”|「[^」]+」|[\\p{L}\\p{N}_]+'

export const CHANGING_TASKS: readonly Task[] = [
  {
    pattern: new RegExp(`\\brename\\s+(?<from>${VALUE})\\s+to\\s+(?<to>${VALUE})\\s+everywhere`, 'iu'),
    run: replaceEverywhere,
  },
  {
    pattern: new RegExp(
      `(?:把|将|將)\\s*(?<from>${VALUE})\\s*(?:改|换|換|替换|替換)(?:成|为|為)\\s*(?<to>${VALUE})[，,]\\s*(?:两个|兩個|所有|全部|每个|每個)`,
      'iu',
    ),
    run: replaceEverywhere,
  },
  { pattern: /\bfix\s+the\s+todos?\s+in\s+(?<file>[\w./-]+\.\w+)/iu, run: fixTodo },
  { pattern: /\badd\s+(?:a\s+)?tests?\s+for\s+(?<name>\w+)/iu, run: addTest },
  {
    pattern: /\brun\s+(?:the\s+|all\s+)?tests?\b|(?:运行|跑|执行|執行)(?:一下)?(?:所有|全部)?(?:测试|測試)/iu,
    run: runTests,
  },
  {
    pattern:
      /(?:给|給|为|為)\s*(?<file>[\w./-]+\.py)\s*(?:加上|添加|加)(?:类型注释|類型註解|说明|說明|注释|註解|文档|文件)/iu,
    run: addDocstring,
  },
  {
    pattern:
      /(?:新建|创建|建立|新增)\s*(?<file>[\p{L}\p{N}_./-]+\.md)[，,]?\s*(?:写|寫)(?:上|入)?(?<count>[一二三四五]|\d)[条條]计?計?[划劃畫]/iu,
    run: writePlan,
  },
  {
    pattern:
      /(?:写|寫)(?:一个|一個)?\s*python\s*(?:函数|函式).*平均|\bwrite\s+(?:me\s+)?a\s+python\s+function\b.*\baverage/iu,
    run: writeAverage,
  },
  {
    pattern:
      /(?:删除|刪除)\s*(?<folder>[\w./-]+)\s*(?:里|裡|中)?的?(?:所有)?(?:文件|檔案)|\bdelete\s+(?:all\s+)?(?:the\s+)?files\s+in\s+(?<folder>[\w./-]+)/iu,
    run: deleteFiles,
  },
  {
    pattern:
      /(?:\brun|运行|運行|执行|執行)\s+(?<file>[\w./-]+\.py)\s*(?:and|然后|然後|并|並)\s*.*?(?:write|把|save).*?(?<target>[\w./-]+\.txt)/iu,
    run: runAndSave,
  },
  {
    pattern: /(?:\brun|运行|運行|执行|執行|跑)(?:一下)?\s*(?<file>[\w./-]+\.py)\s*[。.!！]?$/iu,
    run: runProgram,
  },
]

const missing = (name: string, language: Language): string =>
  say(language, `I found no file ${name}.`, `没有找到文件 ${name}。`, `沒有找到檔案 ${name}。`)

/** Files that the user asked to leave alone, in this message or before. */
function untouched({ text, history }: TaskContext): readonly string[] {
  const texts = [text, ...history.turns.map(turn => turn.request)]
  return texts.flatMap(one =>
    [
      ...one.matchAll(
        /(?:不要改|别改|別改|不要动|不要動|do(?:n't| not) (?:change|touch|edit))\s*(?:the\s+)?([\w./-]+)/giu,
      ),
    ].map(match => match[1] ?? ''),
  )
}

function* replaceEverywhere(context: TaskContext, match: RegExpExecArray): TaskRun {
  const { language } = context
  const from = unquote(match.groups?.['from'] ?? '')
  const to = unquote(match.groups?.['to'] ?? '')
  const [found] = yield {
    say: say(language, `I look for “${from}”.`, `我先查找“${from}”。`, `我先尋找「${from}」。`),
    calls: [grep(`\\b${from.replace(/[.*+?^$()|[\]{}\\]/g, '\\$&')}\\b`)],
  }
  const excluded = untouched(context)
  const all = [
    ...new Set((found?.output ?? '').split('\n').flatMap(line => /^(.+?):\d+:/.exec(line)?.[1] ?? [])),
  ]
  const paths = all.filter(path => !excluded.some(name => path.includes(name))).slice(0, 10)
  if (paths.length === 0)
    return say(
      language,
      `Nothing contains “${from}”.`,
      `没有内容包含“${from}”。`,
      `沒有內容包含「${from}」。`,
    )
  yield {
    say: say(language, 'I read the files first.', '我先读取这些文件。', '我先讀取這些檔案。'),
    calls: paths.map(read),
  }
  yield {
    say: say(
      language,
      `I change ${paths.length} files in one step.`,
      `我一次修改这 ${paths.length} 个文件。`,
      `我一次修改這 ${paths.length} 個檔案。`,
    ),
    calls: paths.map(path => edit(path, from, to, true)),
  }
  return `${say(language, `“${from}” is now “${to}” in:`, `已把“${from}”改为“${to}”：`, `已把「${from}」改為「${to}」：`)}\n${bullets(paths)}`
}

/** The one TODO of the sample project that the demo model can do. */
const TODO_BEFORE =
  'def greet(name: str) -> str:\n    # TODO: share the texts with greet.ts\n    return f"Hello, {name}!"'
const TODO_AFTER =
  'HELLO = "Hello"  # the same word as in greet.ts\n\n\ndef greet(name: str) -> str:\n    return f"{HELLO}, {name}!"'

function* fixTodo({ language }: TaskContext, match: RegExpExecArray): TaskRun {
  const name = match.groups?.['file'] ?? ''
  const path = yield* locate(name, language)
  if (path === undefined) return missing(name, language)
  const [file] = yield {
    say: say(language, `I read ${name} first.`, `我先读取 ${name}。`, `我先讀取 ${name}。`),
    calls: [read(path)],
  }
  const lines = fileLines(file?.output ?? '')
  const at = lines.findIndex(line => /TODO/.test(line))
  if (at < 0) return say(language, `${name} has no TODO.`, `${name} 中没有 TODO。`, `${name} 中沒有 TODO。`)
  if (!lines.join('\n').includes(TODO_BEFORE))
    return say(
      language,
      `Line ${at + 1} says: “${lines[at]?.trim()}”. Solving it needs a real model; connect one in Settings → Model providers.`,
      `第 ${at + 1} 行写着：“${lines[at]?.trim()}”。解决它需要真正的模型；请在“设置 → 模型提供商”中连接。`,
      `第 ${at + 1} 行寫著：「${lines[at]?.trim()}」。解決它需要真正的模型；請在「設定 → 模型供應商」中連接。`,
    )
  yield {
    say: say(language, 'I move the word into a constant.', '我把文字移到常量中。', '我把文字移到常數中。'),
    calls: [edit(path, TODO_BEFORE, TODO_AFTER)],
  }
  return say(
    language,
    `The TODO in ${name} is done: the greeting is a constant now, and the comment is gone.`,
    `${name} 中的 TODO 已完成：问候语现在是常量，注释已删除。`,
    `${name} 中的 TODO 已完成：問候語現在是常數，註解已刪除。`,
  )
}

function* addTest({ language }: TaskContext, match: RegExpExecArray): TaskRun {
  const name = match.groups?.['name'] ?? ''
  const path = yield* locate(`${name}.py`, language)
  if (path === undefined) return missing(`${name}.py`, language)
  const folder = path.split('/').slice(0, -1).join('/') || '.'
  const test = `${folder}/test_${name}.py`
  const content = `import unittest\n\nfrom ${name} import ${name}\n\n\nclass ${name[0]?.toUpperCase()}${name.slice(1)}Test(unittest.TestCase):\n    def test_names_the_visitor(self) -> None:\n        self.assertIn("Ada", ${name}("Ada"))\n\n\nif __name__ == "__main__":\n    unittest.main()\n`
  yield {
    say: say(
      language,
      `I write test_${name}.py.`,
      `我来编写 test_${name}.py。`,
      `我來編寫 test_${name}.py。`,
    ),
    calls: [write(test, content)],
  }
  const [ran] = yield {
    say: say(language, 'Now I run it.', '现在运行它。', '現在執行它。'),
    calls: [shell(`python3 ${quote(test)} 2>&1`, `Run test_${name}.py`)],
  }
  return `${say(language, `The test is in test_${name}.py. It printed:`, `测试在 test_${name}.py 中，输出：`, `測試在 test_${name}.py 中，輸出：`)}\n\n${fenced((ran?.output ?? '').trim())}`
}

const quote = (path: string): string =>
  /^[\w@~./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`

function* runTests({ language }: TaskContext): TaskRun {
  const found = yield {
    say: say(language, 'I look for tests.', '我来查找测试。', '我來尋找測試。'),
    calls: [find('**/package.json'), find('**/{test_*.py,*_test.py,*.test.*}')],
  }
  const [manifest, tests] = found.map(one => foundPaths(one.output))
  const python = (tests ?? []).find(path => path.endsWith('.py'))
  if ((manifest ?? []).length === 0 && (tests ?? []).length === 0)
    return say(
      language,
      'I found no tests: no package.json and no file with “test” in its name. Shall I add one? Ask “Add a test for greet”.',
      '没有找到测试：没有 package.json，也没有名称含 test 的文件。要添加一个吗？可以说“Add a test for greet”。',
      '沒有找到測試：沒有 package.json，也沒有名稱含 test 的檔案。要新增一個嗎？可以說「Add a test for greet」。',
    )
  const command =
    (manifest ?? []).length > 0 ? 'npm test' : python ? `python3 ${quote(python)} 2>&1` : 'node --test'
  const [ran] = yield {
    say: say(language, `I run \`${command}\`.`, `我来运行 \`${command}\`。`, `我來執行 \`${command}\`。`),
    calls: [shell(command, 'Run the tests')],
  }
  return `${say(language, `\`${command}\` printed:`, `\`${command}\` 的输出：`, `\`${command}\` 的輸出：`)}\n\n${fenced((ran?.output ?? '').trim().slice(-1200))}`
}

function* addDocstring({ language }: TaskContext, match: RegExpExecArray): TaskRun {
  const name = match.groups?.['file'] ?? ''
  const path = yield* locate(name, language)
  if (path === undefined) return missing(name, language)
  const [file] = yield {
    say: say(language, `I read ${name} first.`, `我先读取 ${name}。`, `我先讀取 ${name}。`),
    calls: [read(path)],
  }
  const lines = fileLines(file?.output ?? '')
  const def = lines.find(line => /^def \w+\(.*\).*:$/.test(line))
  if (def === undefined)
    return say(language, `${name} has no function.`, `${name} 中没有函数。`, `${name} 中沒有函式。`)
  const typed = /->/.test(def) && /:\s*\w+[,)]/.test(def)
  const doc = say(
    language,
    'Return a greeting for the name.',
    '返回给定姓名的问候语。',
    '傳回給定姓名的問候語。',
  )
  yield {
    say: say(language, 'I add a description.', '我来添加说明。', '我來加上說明。'),
    calls: [edit(path, def, `${def}\n    """${doc}"""`)],
  }
  const types = typed
    ? say(language, 'It has type annotations already.', '它已经有类型注释。', '它已經有類型註解。')
    : ''
  return `${say(language, `${name} has a description now.`, `已给 ${name} 加上说明。`, `已替 ${name} 加上說明。`)}${types}`
}

const PLANS: Readonly<Record<Language, readonly string[]>> = {
  en: ['List what is there', 'Decide what changes', 'Check the result'],
  'zh-Hans': ['整理现有的内容', '确定要更改的部分', '检查结果'],
  'zh-Hant': ['整理現有的內容', '確定要變更的部分', '檢查結果'],
}

function* writePlan({ language }: TaskContext, match: RegExpExecArray): TaskRun {
  const path = match.groups?.['file'] ?? 'plan.md'
  const items = PLANS[language].map((item, at) => `${at + 1}. ${item}`)
  const title = say(language, '# Plan', '# 计划', '# 計畫')
  yield {
    say: say(language, `I write ${path}.`, `我来写入 ${path}。`, `我來寫入 ${path}。`),
    calls: [write(path, `${title}\n\n${items.join('\n')}\n`)],
  }
  return `${say(language, `${path} holds:`, `${path} 的内容：`, `${path} 的內容：`)}\n${items.join('\n')}`
}

function* writeAverage({ language }: TaskContext): TaskRun {
  const path = 'src/average.py'
  const content =
    'def average(numbers: list[float]) -> float:\n    """Return the mean; raises ValueError for an empty list."""\n    if not numbers:\n        raise ValueError("an empty list has no average")\n    return sum(numbers) / len(numbers)\n\n\nif __name__ == "__main__":\n    print(average([4, 3, 5, 2, 6, 9, 8]))\n'
  yield {
    say: say(language, `I write ${path}.`, `我来写入 ${path}。`, `我來寫入 ${path}。`),
    calls: [write(path, content)],
  }
  const [ran] = yield {
    say: say(language, 'Now I try it.', '现在试运行。', '現在試著執行。'),
    calls: [shell(`python3 ${path}`, 'Try the function')],
  }
  return `${say(language, `${path} has the function \`average\`. With the boats of the sample it prints:`, `${path} 中有函数 \`average\`。用示例中的船只数量运行，输出：`, `${path} 中有函式 \`average\`。用範例中的船隻數量執行，輸出：`)}\n\n${fenced((ran?.output ?? '').trim())}`
}

function* deleteFiles({ language }: TaskContext, match: RegExpExecArray): TaskRun {
  const folder = (match.groups?.['folder'] ?? '').replace(/\/+$/, '')
  const [found] = yield {
    say: say(
      language,
      `I list ${folder}/ first.`,
      `我先列出 ${folder}/ 中的文件。`,
      `我先列出 ${folder}/ 中的檔案。`,
    ),
    calls: [find(`${folder}/*`)],
  }
  const paths = foundPaths(found?.output ?? '')
  if (paths.length === 0)
    return say(language, `${folder}/ has no files.`, `${folder}/ 中没有文件。`, `${folder}/ 中沒有檔案。`)
  const [removed] = yield {
    say: `${say(language, 'Careful: a command cannot be undone. I ask before these files go:', '注意：命令无法撤销。删除以下文件前会先询问你：', '注意：指令無法復原。刪除以下檔案前會先詢問你：')}\n${bullets(paths)}`,
    calls: [shell(`rm ${paths.map(quote).join(' ')}`, `Delete ${paths.length} files`)],
    takesErrors: true,
  }
  if (removed?.is_error)
    return say(
      language,
      `Nothing was deleted. ${removed.output.trim()}`,
      `没有删除任何文件。${removed.output.trim()}`,
      `沒有刪除任何檔案。${removed.output.trim()}`,
    )
  return `${say(language, 'Deleted:', '已删除：', '已刪除：')}\n${bullets(paths)}`
}

function* runProgram({ language }: TaskContext, match: RegExpExecArray): TaskRun {
  const name = match.groups?.['file'] ?? ''
  const path = yield* locate(name, language)
  if (path === undefined) return missing(name, language)
  const [ran] = yield {
    say: say(language, `I run ${name}.`, `我来运行 ${name}。`, `我來執行 ${name}。`),
    calls: [shell(`python3 ${quote(path)}`, `Run ${name}`)],
  }
  return `${say(language, `${name} printed:`, `${name} 的输出：`, `${name} 的輸出：`)}\n\n${fenced((ran?.output ?? '').trim())}`
}

function* runAndSave({ language, text }: TaskContext, match: RegExpExecArray): TaskRun {
  const name = match.groups?.['file'] ?? ''
  const target = match.groups?.['target'] ?? pathsIn(text).at(-1) ?? 'out.txt'
  const path = yield* locate(name, language)
  if (path === undefined) return missing(name, language)
  const [ran] = yield {
    say: say(language, `I run ${name}.`, `我先运行 ${name}。`, `我先執行 ${name}。`),
    calls: [shell(`python3 ${quote(path)}`, `Run ${name}`)],
  }
  const output = `${(ran?.output ?? '').trim()}\n`
  yield {
    say: say(
      language,
      `Now I write the output to ${target}.`,
      `接着把输出写入 ${target}。`,
      `接著把輸出寫入 ${target}。`,
    ),
    calls: [write(target, output)],
  }
  return `${say(language, `${name} printed this, and it is in ${target} now:`, `${name} 的输出已写入 ${target}：`, `${name} 的輸出已寫入 ${target}：`)}\n\n${fenced(output.trim())}`
}

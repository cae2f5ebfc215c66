/** Translations of the sample project's texts, by paragraph. The demo model knows no others. */
import type { Language } from '../phrases/language.ts'

const ROWS: readonly (readonly [en: string, hans: string, hant: string])[] = [
  ['# Harbour', '# 港湾', '# 港灣'],
  [
    'A tiny sample project to try tools on. Ask for the files, read one, search for TODO, or have something changed; nothing outside this folder is touched.',
    '一个用来试用工具的小示例项目。可以列出文件、读取文件、搜索 TODO，或修改内容；不会触及此文件夹之外的任何东西。',
    '一個用來試用工具的小範例專案。可以列出檔案、讀取檔案、搜尋 TODO，或修改內容；不會觸及此資料夾之外的任何東西。',
  ],
  [
    '- `src/` a greeter in TypeScript and one in Python',
    '- `src/` 用 TypeScript 和 Python 写的两个问候程序',
    '- `src/` 用 TypeScript 和 Python 寫的兩個問候程式',
  ],
  ['- `data/` sales of one week', '- `data/` 一周的销售数据', '- `data/` 一週的銷售資料'],
  [
    '- `notes/` meeting notes, also in Chinese',
    '- `notes/` 会议记录，也有中文版',
    '- `notes/` 會議記錄，也有中文版',
  ],
  ['# Meeting, Thursday', '# 会议，星期四', '# 會議，星期四'],
  ['# Meeting notes', '# 会议记录', '# 會議記錄'],
  ['- Ferry timetable: decided.', '- 渡轮时刻表：已确定。', '- 渡輪時刻表：已確定。'],
  [
    '- TODO ask the port office about the new pier.',
    '- 待办：询问港务局新码头的情况。',
    '- 待辦：詢問港務局新碼頭的情況。',
  ],
  ['- Lanterns for the festival: 40 pieces.', '- 节日灯笼：四十个。', '- 節日燈籠：四十個。'],
]

/** Lines that belong to one paragraph as one line; headings and list items stay apart. */
export function paragraphs(lines: readonly string[]): readonly string[] {
  const found: string[] = []
  let open = false
  for (const line of lines) {
    const text = line.trim()
    const starts = text === '' || /^(?:#|[-*] |\d+\. |```|\|)/.test(text)
    if (open && !starts) found.push(`${found.pop() ?? ''} ${text}`)
    else if (text !== '') found.push(text)
    open = text !== '' && !text.startsWith('#')
  }
  return found
}

/** The paragraphs in another language; undefined when one of them is unknown. */
export function translate(lines: readonly string[], language: Language): readonly string[] | undefined {
  const at = language === 'en' ? 0 : language === 'zh-Hans' ? 1 : 2
  const translated = paragraphs(lines).flatMap(text => ROWS.find(row => row.includes(text))?.[at] ?? [])
  return translated.length === paragraphs(lines).length ? translated : undefined
}

/** A file again from its paragraphs: list items stay together. */
export const joinParagraphs = (texts: readonly string[]): string =>
  `${texts.reduce((all, text) => (all === '' ? text : `${all}${/^[-*] /.test(text) && /(?:^|\n)[-*] [^\n]*$/.test(all) ? '\n' : '\n\n'}${text}`), '')}\n`

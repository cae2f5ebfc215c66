/**
 * Labels of parts that not every page has: kept beside them, so that code that only folds a log does not load
 * them. Same keys in every language.
 */
import type { Locale } from '../../strings/en.ts'
import type { Translate } from '../../strings/translate.ts'

const en = {
  find: 'Find in this text',
  next: 'Next match',
  previous: 'Previous match',
  wrap: 'Wrap lines',
  filter: 'Filter events',
  wire: 'Shown as',
  model: 'Model',
  open: 'Open the session',
  today: 'Today',
  week: 'Last 7 days',
  older: 'Older',
  no_match: 'Nothing found',
  earlier: 'Show earlier ones',
  thread: 'Conversation',
  to_end: 'To the latest',
  keys: 'Keys',
  key_send: 'Send',
  key_line: 'New line',
  key_back: 'Stop, or leave a form',
  key_long: 'Send a longer answer',
  key_match: 'Next or previous match',
  key_help: 'This list',
  hidden: '{lines} hidden',
  part_hidden: 'Not everything is shown. Allow shows the rest first.',
  all_shown: 'Everything is shown now. Choose again to allow it.',
  with_marks: 'Hidden characters:',
  active: '{time} active',
  waiting: '{time} waiting for you',
  waited: '{time} waiting',
  after: 'after {time}',
  zoom_in: 'Zoom in',
  zoom_out: 'Zoom out',
  zoom_fit: 'Fit',
  collapse_waits: 'Collapse waits',
  open_group: 'Show {n} calls',
}

export type PartWords = Readonly<Record<keyof typeof en, string>>

const zhHans: PartWords = {
  find: '在文本中查找',
  next: '下一个',
  previous: '上一个',
  wrap: '自动换行',
  filter: '筛选事件',
  wire: '显示格式',
  model: '模型',
  open: '打开会话',
  today: '今天',
  week: '最近 7 天',
  older: '更早',
  no_match: '没有找到',
  earlier: '显示更早的',
  thread: '对话',
  to_end: '回到最新',
  keys: '按键',
  key_send: '发送',
  key_line: '换行',
  key_back: '停止，或离开表单',
  key_long: '发送较长的回答',
  key_match: '下一个或上一个匹配',
  key_help: '本列表',
  hidden: '已隐藏 {lines}',
  part_hidden: '内容未完整显示。选择允许会先显示全部内容。',
  all_shown: '已显示全部内容。再次选择即可允许。',
  with_marks: '含有隐藏字符：',
  active: '{time} 运行',
  waiting: '{time} 等待你',
  waited: '等待 {time}',
  after: '{time} 后',
  zoom_in: '放大',
  zoom_out: '缩小',
  zoom_fit: '适合宽度',
  collapse_waits: '压缩等待时间',
  open_group: '显示 {n} 次调用',
}

const zhHant: PartWords = {
  find: '在文字中尋找',
  next: '下一個',
  previous: '上一個',
  wrap: '自動換行',
  filter: '篩選事件',
  wire: '顯示格式',
  model: '模型',
  open: '開啟對話',
  today: '今天',
  week: '最近 7 天',
  older: '更早',
  no_match: '沒有找到',
  earlier: '顯示更早的',
  thread: '對話',
  to_end: '回到最新',
  keys: '按鍵',
  key_send: '傳送',
  key_line: '換行',
  key_back: '停止，或離開表單',
  key_long: '傳送較長的回答',
  key_match: '下一個或上一個相符處',
  key_help: '本清單',
  hidden: '已隱藏 {lines}',
  part_hidden: '內容未完整顯示。選擇允許會先顯示全部內容。',
  all_shown: '已顯示全部內容。再次選擇即可允許。',
  with_marks: '含有隱藏字元：',
  active: '{time} 執行',
  waiting: '{time} 等待你',
  waited: '等待 {time}',
  after: '{time} 後',
  zoom_in: '放大',
  zoom_out: '縮小',
  zoom_fit: '符合寬度',
  collapse_waits: '壓縮等待時間',
  open_group: '顯示 {n} 次呼叫',
}

const WORDS: Readonly<Record<Locale, PartWords>> = { en, 'zh-Hans': zhHans, 'zh-Hant': zhHant }

/** The words of one language. */
export const partLabels = ({ locale }: { readonly locale: Locale }): PartWords => WORDS[locale]

/** Number of lines omitted between two ends. */
export const hiddenLines = (t: Translate, n: number): string =>
  partLabels(t).hidden.replace('{lines}', t('call.lines', { n }))

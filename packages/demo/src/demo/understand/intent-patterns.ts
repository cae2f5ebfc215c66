/**
 * Common requests in English and Chinese: patterns tried from top to bottom, the first match decides. Named groups
 * carry the arguments; recognise.ts turns them into intents.
 */
import type { Intent } from './intent.ts'

export interface IntentPattern {
  readonly type: Exclude<Intent['type'], 'tool'>
  readonly pattern: RegExp
}

const QUOTED = '"[^"]+"|\'[^\']+\'|`[^`]+`|“[^”]+”|‘[^’]+’|「[^」]+」|『[^』]+』|《[^》]+》'
const FILE = `${QUOTED}|(?:[\\w@~.-]*[\\\\/])*[\\w@~-][\\w@~.-]*\\.[A-Za-z0-9]{1,8}|[\\w@~.-]*\\/[\\w@~.\\/-]*|README|LICENSE|Makefile|Dockerfile`
const VALUE = `${QUOTED}|\\S(?:.*?\\S)?`

const make = (type: IntentPattern['type'], source: string): IntentPattern => ({
  type,
  pattern: new RegExp(
    source
      .replaceAll('<file>', `(?<path>${FILE})`)
      .replaceAll('Q', `(?:${QUOTED})`)
      .replaceAll('V', `(?:${VALUE})`),
    'iu',
  ),
})

/** Placeholders: `<file>` a path, `V` any value, quoted or not. */
export const INTENT_PATTERNS: readonly IntentPattern[] = [
  make('run', '(?:\\b(?:run|execute)\\b|运行|執行|执行|跑)[^`]*`(?<command>[^`]+)`'),
  make('run', '^`(?<command>[^`]+)`$'),
  make('run', '^\\$ (?<command>.+)$'),
  make('fetch', '(?:fetch|open|visit|download|打开|打開|抓取|访问).*?(?<url>https?:\\/\\/[^\\s，。"\'<>]+)'),
  make(
    'edit',
    '\\b(?:replace|change)\\s+(?<from>V)\\s+(?:with|by|to)\\s+(?<to>V)\\s+in\\s+(?:the\\s+)?(?:file\\s+)?<file>',
  ),
  make(
    'edit',
    '\\bin\\s+(?:the\\s+file\\s+)?<file>,?\\s+(?:replace|change)\\s+(?<from>V)\\s+(?:with|by|to)\\s+(?<to>V)$',
  ),
  make(
    'edit',
    '(?:把|将|將)\\s*<file>\\s*(?:文件)?(?:里面|里|中|裡)?的?\\s*(?<from>V)\\s*(?:替换|替換|换|換|改)(?:成|为|為)\\s*(?<to>V)$',
  ),
  make(
    'edit',
    '在?\\s*<file>\\s*(?:文件)?(?:里面|里|中|裡)\\s*(?:把|将|將)\\s*(?<from>V)\\s*(?:替换|替換|换|換|改)(?:成|为|為)\\s*(?<to>V)$',
  ),
  make(
    'write',
    '\\b(?:write|save|put)\\s+(?<content>V)\\s+(?:to|into|in)\\s+(?:the\\s+|a\\s+)?(?:new\\s+)?(?:file\\s+)?(?:called\\s+|named\\s+)?<file>',
  ),
  make(
    'write',
    '\\bcreate\\s+(?:the\\s+|a\\s+)?(?:new\\s+)?(?:file\\s+)?(?:called\\s+|named\\s+)?<file>\\s+(?:with|containing|saying)\\s+(?:the\\s+)?(?:contents?\\s+|text\\s+)?(?<content>V)$',
  ),
  make(
    'write',
    '(?:把|将|將)\\s*(?<content>V)\\s*(?:写入|写到|写进|寫入|寫到|保存到|存到)\\s*(?:文件)?\\s*<file>',
  ),
  make(
    'write',
    '(?:写一?个?|寫|创建|建立|新建)(?:一个)?(?:文件)?\\s*<file>\\s*[，,]?\\s*(?:内容|內容)(?:是|为|為|写)?\\s*[:：]?\\s*(?<content>V)$',
  ),
  make('recall', '\\bwhat do you remember\\b|你(?:还|都)?记得(?:什么|哪些)|记忆里有什么'),
  make('remember', '\\bremember\\s+(?:that\\s+)?(?<note>V)$'),
  make('remember', '(?:记住|記住|记下|記下)\\s*[：:，,]?\\s*(?<note>V)$'),
  make(
    'agent',
    '\\b(?:use|ask|start|launch|have)\\s+(?:a\\s+|an\\s+|the\\s+)?(?:sub-?)?agent\\s+(?:to\\s+|for\\s+)?(?<prompt>V)$',
  ),
  make('agent', '(?:用|让|讓|启动|派)(?:一个|一個)?子?(?:代理|智能体)(?:去|来|來)?\\s*(?<prompt>V)$'),
  make(
    'web',
    '\\b(?:search|look)\\s+(?:up\\s+)?(?:on\\s+)?(?:the\\s+)?(?:web|internet|online)\\s+(?:for\\s+)?(?<query>V)$',
  ),
  make('web', '(?:上网|上網|网上|網上|联网|在网上)(?:搜索|搜|查)(?:一下)?\\s*(?<query>V)$'),
  make('weather', '\\bweather\\b|\\bforecast\\b|天气|天氣|气温|氣溫'),
  make(
    'time',
    "\\bwhat(?:'s|’s| is)?\\s+(?:the\\s+)?(?:current\\s+)?(?:time|date)\\b|\\bcurrent\\s+(?:time|date)\\b|\\bwhat day is\\b|几点|幾點|现在(?:是)?(?:什么)?时间|今天(?:是)?(?:几号|星期几|周几|什么日期)",
  ),
  make(
    'find',
    '(?:\\b(?:find|glob|list|show)\\b|找|列出|查找).*?(?<pattern>[\\w./@-]*[*?][\\w.*?/{},@\\[\\]-]*)',
  ),
  make(
    'find',
    '\\bfind\\s+(?:me\\s+)?(?:all\\s+)?(?:the\\s+)?(?<extension>\\.?(?:ts|tsx|js|jsx|json|md|py|txt|css|html|go|rs|java|ya?ml))\\s+files\\b',
  ),
  make(
    'find',
    '(?:找|查找|列出)(?:出|到|一下)?(?:所有|全部)?的?\\s*(?<extension>\\.?(?:ts|tsx|js|jsx|json|md|py|txt|css|html|go|rs|java|ya?ml))\\s*(?:文件|檔案)',
  ),
  make('find', '\\bfind\\s+(?:the\\s+)?(?:file\\s+)?(?:called\\s+|named\\s+)?<file>$'),
  make(
    'search',
    '\\b(?:search|grep|look)\\b(?:\\s+(?:through\\s+)?(?:the\\s+|all\\s+)?(?:code|files|project|repo|repository|codebase|workspace))?\\s+for\\s+(?:the\\s+(?:word|text|string)\\s+)?(?<pattern>V)(?:\\s+in\\s+(?:the\\s+)?(?:<file>|code|files|project|repo|repository|codebase|workspace))?$',
  ),
  make('search', '^(?:please\\s+)?grep\\s+(?<pattern>V)(?:\\s+in\\s+<file>)?$'),
  make(
    'search',
    '\\bfind\\s+(?:all\\s+)?(?:occurrences\\s+of\\s+)?(?<pattern>Q|[A-Z_]{3,})(?:\\s+in\\s+<file>)?',
  ),
  make('search', '在\\s*<file>\\s*(?:里面|里|中|裡)?\\s*(?:搜索|搜尋|搜|查找)\\s*(?<pattern>V)$'),
  make(
    'search',
    '(?:搜索|搜尋|检索|搜一下|查找|搜)(?:一下)?(?:代码|代碼|项目|文件)?(?:里面|里|中)?的?\\s*(?<pattern>V)$',
  ),
  make('run', '\\brun\\s+(?:the\\s+)?(?<tests>tests?)\\b|(?:运行|跑|执行)(?:一下)?(?<tests>测试)'),
  make(
    'run',
    '^(?:please\\s+|can you\\s+|could you\\s+)?(?:run|execute)\\s+(?:the\\s+command\\s+)?(?<command>[a-z][\\w./-]*(?:\\s.*)?)$',
  ),
  make('run', '(?:运行|執行|执行|跑)(?:一下|下)?(?:命令)?\\s*[:：]?\\s*(?<command>[a-z][\\x20-\\x7e]*)$'),
  make(
    'read',
    "(?:\\b(?:read|open|show|cat|view|display|print|summari[sz]e)\\b|\\bwhat(?:'s|’s| is)\\s+in\\b)\\s+(?:me\\s+)?(?:the\\s+)?(?:contents?\\s+of\\s+)?(?:the\\s+)?(?:file\\s+)?<file>",
  ),
  make(
    'read',
    '(?:读取|读|讀取|讀|打开|打開|查看|看看|看一下|看下|看|显示|顯示|总结)(?:一下|下)?(?:文件|檔案)?\\s*<file>',
  ),
  make(
    'list',
    "(?:\\b(?:list|show|see|display)\\b|\\bwhat(?:'s|’s| is| are)?\\b).*?\\b(?:files|folders|directory|folder|dir)\\b(?:\\s+(?:in|of|under)\\s+(?:the\\s+)?(?:(?:folder|directory)\\s+)?(?<path>[\\w.~-]*\\/[\\w.~\\/-]*|[a-z][\\w-]*(?=\\s*(?:folder|directory|$))))?",
  ),
  make('list', '^ls(?:\\s|$)'),
  make(
    'list',
    '(?:目录|目錄|文件夹|資料夾).*?(?:文件|檔案|内容|內容|东西|有什么|有什麼|有哪些)|(?:列出|看看|查看|显示|顯示|有哪些|有什么|有什麼).*?(?:文件|檔案|目录|目錄)',
  ),
]

/** Separators between two requests in one sentence. */
export const CLAUSE_BREAK =
  /(\s*[,;，；。]?\s*(?:\band then\b|\bafter that\b|\bthen\b|然后|然後|接着|接著|之后再|再)\s*|\s*[,;]\s+(?:and\s+|also\s+)?|\s+and\s+(?:also\s+)?|[，；。？\n]\s*(?:并且|並且|同时|同時|还有|還有)?\s*|并且|並且|同时|同時|以及)/iu

/** A break that also orders: what follows waits for what came before. */
export const ORDERED_BREAK = /then|after that|然后|然後|接着|接著|再/iu

/** Words around a place name in a question about the weather. */
export const WEATHER_NOISE =
  /请问|請問|请|請|帮我|幫我|查询|查詢|查一下|查|看看|告诉我|告訴我|一下|今天|明天|后天|現在|现在|当前|目前|本周|这周|的|天气预报|天气|天氣|气温|氣溫|怎么样|怎麼樣|怎样|如何|好吗|好嗎|是多少|多少|吗|嗎|呢|什么|[？?！!。，,]/gu
export const WEATHER_PLACE =
  /\b(?:in|for|at|of)\s+(?:the\s+city\s+of\s+)?(?<place>[\p{L}][\p{L}\s,.'-]*?)(?:\s+(?:today|tomorrow|now|right now|this week|please|like|in (?:celsius|fahrenheit)))?\s*[?!.]*$/iu
export const PLACE_BEFORE =
  /^(?:what(?:'s|’s| is)\s+)?(?:the\s+)?(?<place>[\p{L}][\p{L}\s.'-]*?)(?:'s)?\s+(?:weather|forecast)\b/iu
export const PLACE_JOIN = /\s*(?:,|、|\band\b|和|与|與|跟|及)\s*/iu

/** Sixty ordinary requests to the demo model in the sample workspace, with what a good answer holds. */

export interface DemoRequest {
  readonly ask: string
  /** Earlier messages of the same session. */
  readonly before?: readonly string[]
  /** Calls in order; `[]` for an answer without tools. */
  readonly tools: readonly string[]
  /** Each must be found in the answer. */
  readonly answer: readonly RegExp[]
  /** Calls that a person denies, with this reason. */
  readonly deny?: { readonly tool: string; readonly reason: string }
  /** An image comes with the message. */
  readonly image?: true
  /** Files afterwards: path and what it holds. */
  readonly file?: readonly [path: string, content: RegExp]
}

const READ_CSV = ['Glob', 'Read']
const EDIT_TODO = ['Glob', 'Read', 'Edit']

export const ENGLISH: readonly DemoRequest[] = [
  { ask: 'What can you do here?', tools: ['LS'], answer: [/demo model/, /Bash/, /README\.md/, /Settings/] },
  { ask: 'What is this project?', tools: ['Read'], answer: [/Harbour/, /sample project/] },
  { ask: 'Explain src/greet.ts', tools: ['Read'], answer: [/line 2: function `greet`/, /line 1/] },
  { ask: 'Which day had the most visitors?', tools: READ_CSV, answer: [/Sat/, /342/] },
  { ask: 'Total boats this week', tools: READ_CSV, answer: [/4 \+ 3 \+ 5 \+ 2 \+ 6 \+ 9 \+ 8 = 37/] },
  {
    ask: 'Make a table of sales.csv sorted by visitors',
    tools: READ_CSV,
    answer: [/\| day \| boats \| visitors \|/, /Sat \| 9 \| 342 \|\n\| Sun/],
  },
  { ask: 'Plot visitors per day', tools: READ_CSV, answer: [/Sat █{30} 342/] },
  { ask: 'Find every TODO', tools: ['Grep'], answer: [/src\/greet\.py:2:/, /notes\/meeting\.md:4:/, /待办/] },
  {
    ask: 'Fix the TODO in greet.py',
    tools: EDIT_TODO,
    answer: [/done/],
    file: ['src/greet.py', /^HELLO = "Hello"[\s\S]*return f"\{HELLO\}, /],
  },
  {
    ask: 'Add a test for greet',
    tools: ['Glob', 'Write', 'Bash'],
    answer: [/Ran 1 test/, /OK/],
    file: ['src/test_greet.py', /assertIn\("Ada"/],
  },
  { ask: 'Run the tests', tools: ['Glob', 'Glob'], answer: [/no tests/, /Shall I add one/] },
  {
    ask: 'Rename greet to welcome everywhere',
    tools: ['Grep', 'Read', 'Read', 'Edit', 'Edit'],
    answer: [/“greet” is now “welcome”/],
    file: ['src/greet.ts', /function welcome\(/],
  },
  { ask: 'Undo that', before: ['Fix the TODO in greet.py'], tools: [], answer: [/greet\.py/, /Undo/] },
  {
    ask: 'Summarize the meeting notes in 3 bullets',
    tools: ['Glob', 'Read'],
    answer: [/- Ferry timetable: decided\.\n- TODO ask the port office.*\n- Lanterns/],
  },
  {
    ask: 'Translate meeting.md into Chinese',
    tools: ['Glob', 'Read', 'Write'],
    answer: [/渡轮时刻表/],
    file: ['notes/meeting.zh.md', /节日灯笼/],
  },
  {
    ask: 'Compare greet.ts and greet.py',
    tools: ['Glob', 'Glob', 'Read', 'Read'],
    answer: [/Both define: `greet`/, /started as a program/],
  },
  {
    ask: 'Write a commit message for the changes',
    before: ['Fix the TODO in greet.py'],
    tools: [],
    answer: [/chore: Fix the TODO in greet\.py/, /change .*greet\.py/],
  },
  {
    ask: 'What did you change so far?',
    before: ['Fix the TODO in greet.py'],
    tools: [],
    answer: [/greet\.py \(Edit\)/],
  },
  { ask: 'Remember that the pier opens in May', tools: [], answer: [/no tool|Noted/] },
  {
    ask: 'Plan a festival page, ask me first',
    tools: ['AskUserQuestion'],
    answer: [/Visitors/, /Markdown/],
  },
]

export const SIMPLIFIED: readonly DemoRequest[] = [
  { ask: '你能做什么？', tools: ['LS'], answer: [/演示模型/, /Bash/, /设置/] },
  { ask: '这个项目是做什么的？', tools: ['Read'], answer: [/港湾/, /示例项目/] },
  { ask: '帮我看看会议记录说了什么', tools: ['Glob', 'Read'], answer: [/渡轮时刻表/, /四十个/] },
  { ask: '哪天游客最多？', tools: READ_CSV, answer: [/Sat/, /342/, /最多/] },
  { ask: '把 sales.csv 做成表格', tools: READ_CSV, answer: [/\| Mon \| 4 \| 120 \|/, /表格/] },
  { ask: '一周平均每天多少船？', tools: READ_CSV, answer: [/37 \/ 7 = 5\.29/, /平均值/] },
  { ask: '找出所有待办事项', tools: ['Grep'], answer: [/greet\.ts:1/, /待办：询问/] },
  {
    ask: '给 greet.py 加上类型注释和说明',
    tools: EDIT_TODO,
    answer: [/已给 greet\.py 加上说明/, /已经有类型注释/],
    file: ['src/greet.py', /"""返回给定姓名的问候语。"""/],
  },
  {
    ask: '新建 notes/计划.md，写三条计划',
    tools: ['Write'],
    answer: [/1\. 整理/, /3\. 检查/],
    file: ['notes/计划.md', /# 计划/],
  },
  {
    ask: '把 README 翻译成中文',
    tools: ['Glob', 'Read', 'Write'],
    answer: [/示例项目/],
    file: ['README.zh.md', /# 港湾/],
  },
  { ask: '运行一下 greet.py', tools: ['Glob', 'Bash'], answer: [/Hello, harbour!/, /输出/] },
  {
    ask: '解释刚才的报错',
    before: ['运行 `cat nothing.txt`'],
    tools: [],
    answer: [/cat nothing\.txt/, /没有这个文件/],
  },
  { ask: '不要改 README，只改代码', tools: [], answer: [/明白/, /README/] },
  { ask: '刚才改了哪些文件？', before: ['新建 notes/计划.md，写三条计划'], tools: [], answer: [/计划\.md/] },
  {
    ask: '撤销最后一次修改',
    before: ['新建 notes/计划.md，写三条计划'],
    tools: [],
    answer: [/计划\.md/, /撤销/],
  },
  { ask: '用两句话总结', before: ['这个项目是做什么的？'], tools: [], answer: [/港湾/] },
  { ask: '继续', before: ['哪天游客最多？'], tools: [], answer: [/已经完成/, /接下来/] },
  { ask: '明天提醒我问港务局', tools: [], answer: [/没有日程工具/] },
  { ask: '上海现在几点？天气怎么样？', tools: ['Bash'], answer: [/现在是/, /没有可用的工具来查询天气/] },
  { ask: '先问我两个问题再开始', tools: ['AskUserQuestion'], answer: [/游客/, /Markdown/] },
]

export const TRADITIONAL: readonly DemoRequest[] = [
  { ask: '你可以幫我做什麼？', tools: ['LS'], answer: [/示範模型/, /設定/, /代理程式|工具/] },
  { ask: '這個資料夾裡有哪些檔案？', tools: ['Bash'], answer: [/README\.md/, /檔案/] },
  { ask: '讀取 meeting.md 並整理重點', tools: ['Glob', 'Read'], answer: [/渡輪時刻表：已確定/, /燈籠/] },
  { ask: '哪一天的遊客最少？', tools: READ_CSV, answer: [/Thu/, /71/, /最少/] },
  {
    ask: '把 Hello 改成「哈囉」，兩個檔案都要',
    tools: ['Grep', 'Read', 'Read', 'Edit', 'Edit'],
    answer: [/已把「Hello」改為「哈囉」/],
    file: ['src/greet.ts', /哈囉, /],
  },
  {
    ask: '幫我寫一個 Python 函式計算平均',
    tools: ['Write', 'Bash'],
    answer: [/5\.28/, /函式/],
    file: ['src/average.py', /def average/],
  },
  { ask: '搜尋所有提到燈籠的地方', tools: ['Grep'], answer: [/Lanterns/, /灯笼/] },
  { ask: '執行 `python3 --version`', tools: ['Bash'], answer: [/Python 3/, /輸出/] },
  {
    ask: '刪除 notes 裡的檔案',
    tools: ['Glob', 'Bash'],
    deny: { tool: 'Bash', reason: '這些還要用' },
    answer: [/沒有刪除任何檔案/, /這些還要用/],
    file: ['notes/meeting.md', /Ferry/],
  },
  {
    ask: '為什麼被拒絕了？',
    before: ['刪除 notes 裡的檔案'],
    deny: { tool: 'Bash', reason: '這些還要用' },
    tools: [],
    answer: [/這些還要用/, /理由/],
  },
  { ask: '再試一次', before: ['哪一天的遊客最少？'], tools: READ_CSV, answer: [/Thu/, /最少/] },
  { ask: '換個說法，短一點', before: ['你可以幫我做什麼？'], tools: [], answer: [/^我是示範模型[^\n]*$/] },
  {
    ask: '把結果存成 CSV',
    before: ['把 sales.csv 做成表格'],
    tools: ['Write'],
    answer: [/result\.csv 共 7/],
    file: ['result.csv', /^day,boats,visitors\nMon,4,120/],
  },
  { ask: '用繁體中文回答', tools: [], answer: [/從現在起我用繁體中文回答/] },
  {
    ask: '幫我 review src/ 的 code',
    tools: ['Glob', 'Read', 'Read'],
    answer: [/greet\.ts:1/, /greet\.py:1/, /沒有測試/],
  },
  {
    ask: '這張圖片裡有什麼？',
    image: true,
    tools: [],
    answer: [/image\/png/, /\d+ bytes/, /連接真正的模型/],
  },
  {
    ask: 'run greet.py 然後把 output 寫到 out.txt',
    tools: ['Glob', 'Bash', 'Write'],
    answer: [/out\.txt/],
    file: ['out.txt', /Hello, harbour!/],
  },
  {
    ask: 'show me 会议记录.md in English',
    tools: ['Glob', 'Read'],
    answer: [/Ferry timetable: decided/, /Lanterns/],
  },
  { ask: '切換成深色主題', tools: ['set_theme'], answer: [/set_theme/] },
  { ask: '今天花了多少錢？', tools: [], answer: [/\$0/, /示範模型/] },
]

/** Other wordings of some of them: the same answers. */
export const OTHER_WORDINGS: readonly DemoRequest[] = [
  { ask: 'what are you able to do?', tools: ['LS'], answer: [/demo model/] },
  { ask: 'how many visitors on average?', tools: READ_CSV, answer: [/1261 \/ 7 = 180\.14/] },
  { ask: 'which day had the fewest boats', tools: READ_CSV, answer: [/Thu/, /\*\*2\*\*/] },
  { ask: '游客最少的是哪一天', tools: READ_CSV, answer: [/Thu/, /71/] },
  { ask: '跑一下测试', tools: ['Glob', 'Glob'], answer: [/没有找到测试/] },
  { ask: 'Try it again', before: ['Which day had the most visitors?'], tools: READ_CSV, answer: [/342/] },
  { ask: '哪天游客最多？', before: ['用繁體中文回答'], tools: READ_CSV, answer: [/Sat/, /的是/] },
  {
    ask: 'Rename Hello to Hi everywhere',
    before: ["Don't change greet.py"],
    tools: ['Grep', 'Read', 'Edit'],
    answer: [/greet\.ts/],
    file: ['src/greet.py', /Hello/],
  },
]

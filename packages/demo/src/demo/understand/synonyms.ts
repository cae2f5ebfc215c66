/** Chinese words and the English ones that tools are named with. Simplified and traditional forms side by side. */
const ROWS: readonly (readonly [english: string, chinese: readonly string[]])[] = [
  ['weather forecast', ['天气', '天氣', '气象']],
  ['temperature', ['温度', '溫度', '气温']],
  ['model', ['模型']],
  ['search query find', ['搜索', '搜尋', '查找', '查询', '查詢', '检索']],
  ['city location place', ['城市', '地点', '地點', '位置']],
  ['theme color mode', ['主题', '主題', '配色', '模式']],
  ['dark', ['深色', '暗色', '黑暗', '夜间']],
  ['light', ['浅色', '淺色', '亮色', '明亮', '白天']],
  ['celsius metric', ['摄氏', '攝氏']],
  ['fahrenheit imperial', ['华氏', '華氏']],
  ['scroll', ['滚动', '滾動', '滚到', '跳到']],
  ['section', ['部分', '章节', '區域', '区域', '小节']],
  ['refresh reload', ['刷新', '重新整理', '重新加载']],
  ['data', ['数据', '資料', '数据']],
  ['send', ['发送', '發送', '寄']],
  ['email mail', ['邮件', '郵件', '邮箱']],
  ['message', ['消息', '訊息', '信息']],
  ['order', ['订单', '訂單', '下单']],
  ['price stock quote', ['价格', '價格', '股价', '股票']],
  ['user', ['用户', '使用者', '用戶']],
  ['create add new', ['创建', '建立', '新建', '添加', '新增']],
  ['delete remove', ['删除', '刪除', '移除']],
  ['update change', ['更新', '修改', '更改']],
  ['language translate', ['语言', '語言', '翻译', '翻譯']],
  ['time clock', ['时间', '時間', '几点']],
  ['date calendar event', ['日期', '日历', '日曆', '日程']],
  ['music song play', ['音乐', '音樂', '播放', '歌']],
  ['volume', ['音量']],
  ['count number limit', ['数量', '數量', '个数']],
  ['title name', ['标题', '標題', '名称', '名字']],
  ['file', ['文件', '檔案']],
  ['map route directions', ['地图', '地圖', '路线']],
  ['book reserve', ['预订', '預訂', '预约']],
  ['calculate calculator', ['计算', '計算']],
  ['image picture', ['图片', '圖片', '图像']],
  ['notify notification', ['通知', '提醒']],
]

/** English words for the Chinese ones in a text. */
export function englishFor(text: string): readonly string[] {
  return ROWS.flatMap(([english, chinese]) =>
    chinese.some(word => text.includes(word)) ? english.split(' ') : [],
  )
}

/** Chinese words for an English one. */
export function chineseFor(word: string): readonly string[] {
  return ROWS.flatMap(([english, chinese]) => (english.split(' ').includes(word) ? chinese : []))
}

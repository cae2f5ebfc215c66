/** Language and script in which the demo model answers. */
export type Language = 'en' | 'zh-Hans' | 'zh-Hant'

/** Characters that only one of the two scripts uses, out of those that requests often hold. */
const SIMPLIFIED =
  '么个这们时说为会来对发后过还样头给让请问读写开关东车书长门马见现实电脑网设计页图数据库录记话语译单选项类应试验测结构达运动环调适别务营销条览帐讯济创办业专严丧乐习乡买乱争亏云亚产亩亲亿仅从仓仪价众优伙伟传伤伦伪体佣侠侣侦侧侨债倾偿储儿兑兰兴养兽内军农冯冲决况冻净凉减凑几凤凭凯击刘刚删剂剑剧劝励劲劳势区医华协卖卢卫却厂厅历厉压厌厕厢厦县双变叙叠号叹吓吕吗听启员响哑唤团园围国圆圣场坏块坚坛坝坟坠垄垒够夹夺奋奖妆妇妈娱孙学宁宝审宪宫宽宾寻导寿将尔尘尝尽层属岁岂岗岛岭帅师帜帮带广庄庆庙庞废异弃张弯强归当彻态怀怜总恋恶恼悬惊惧惨惩惯愤愿慑懒戏战户扑执扩扫扬扰护报担拟拥择挂挡挤挥损换捣掷携摄摆摇撑斋断无旧显晓暂术机杀杂权极枪柜标栈栋树桥档检楼横欢欧残毁毕汇汉污汤沟没泪泽洁洒浅浓涂涛润渐温湾湿满滚滞滨灭灯灵灾炉炼烂热爱牵状独狭狮狱猎玛琐画畅疗疯监盖盘矿码确础礼祸离种积称稳穷窃竞笔筑签简粮紧纠红纤约级纪纯纲纳纵纷纸纹线练组细织终绍经绑绒绕绘络绝统继绩绪续维绵综绿缓编缘缩罗罚职联聪肃肠肤肾肿胀胜胶脉脏脚脱脸腊膑舱艺节芦苏荐荡荣药莲获萧萨蓝虏虑虽蚁补袭装裤观规觅视觉触誉订认讨训议讲许论访证评识诉词诗诚诞询该详误诸课谁谅谈谊谋谓谢谣谨谱贝负贡财责败货质贩购贯贴贵贷贸费贺贼资赋赌赏赔赖赚赛赞赢赵趋跃践轨转轮软轰轻载较辅辆辈辉输辖迁迈进远违连迟递逻遗邓邮郑酱释针钉钓钟钢钥钱铁铃银铜链锁错键锻镇镜闪闭闲间闹闻阅阔队阳阴阵阶际陆陈险随隐难雾静韩顶顺须顾顿预领频题颜额风飞饭饮饰饱馆驱驶驻骂骑骗骤鱼鲁鲜鸟鸡鸣鸭麦黄齐齿龄龙'
const TRADITIONAL =
  '麼個這們時說為會來對發後過還樣頭給讓請問讀寫開關東車書長門馬見現實電腦網設計劃頁圖數據庫錄記話語譯單選項類應試驗測結構達運動環調適別務營銷條覽訊創辦業專嚴樂習買亂爭雲亞產親億僅從倉儀價眾優夥偉傳傷體側債儲兒興養獸內冊軍農決況凍淨減湊幾憑擊劉剛刪劑劇勸勵勞勢區醫華協賣衛卻廠廳歷壓縣雙變敘疊號嘆嚇嗎聽啟員響團園圍國圓場壞塊堅夠奪獎婦媽學寧寶審寬尋導將爾塵嘗盡層屬歲島師幫帶廣慶廢異棄張彎強歸當態總戀惡懸驚慣願懶戲戰戶執擴掃擾護報擔擬擁擇掛擠揮損換攜擺搖撐斷無舊顯曉暫術機殺雜權極標樹橋檔檢樓歡歐殘毀畢匯漢溝沒潔淺濟濃潤漸溫灣濕滿滾滅燈靈災爐煉爛熱愛牽狀獨碼確礎禮離種積稱穩窮競筆築簽簡糧緊糾紅約級紀純綱納縱紛紙線練組細織終紹經繞繪絡絕統繼績續維綜綠緩編緣縮羅罰職聯聰腳臉藝節蘇藥獲藍雖補裝觀規覺觸訂認討訓議講許論訪證評識訴詞詩誠詢該詳誤諸課誰談謀謂謝負財責敗貨質購貼貴費資賞賠賴賺賽贊贏趨軟轉輪輕載較輔輛輸遷邁進遠違連遲遞郵針鐘鋼鑰錢鐵銀銅鏈鎖錯鍵鎮鏡閃閉閒間鬧聞閱隊陽陰陣階際陸險隨隱難霧靜頂順須顧預領頻題顏額風飛飯飲飾館駛騎騙魚鮮鳥雞鳴麥黃齊齒齡龍夾裡囉妳'

/** Requests to answer in another language from here on. */
const SWITCHES: readonly (readonly [RegExp, Language])[] = [
  [/(?:用|以|改用|使用)\s*(?:繁體|繁体|正體)|traditional chinese/iu, 'zh-Hant'],
  [
    /(?:用|以|改用|使用)\s*(?:简体|簡體|中文)|\b(?:answer|reply|speak|continue)\s+in\s+(?:simplified\s+)?chinese/iu,
    'zh-Hans',
  ],
  [
    /(?:用|以|改用|使用)\s*(?:英文|英语|英語)\s*(?:回答|回复|回覆)|\b(?:answer|reply|speak|continue)\s+in\s+english/iu,
    'en',
  ],
]

/** The language that a text asks for; undefined when it asks for none. */
export const askedLanguage = (text: string): Language | undefined =>
  SWITCHES.find(([pattern]) => pattern.test(text))?.[1]

/**
 * Chinese when the text has Chinese characters outside quotes and code; English otherwise. `earlier` texts, oldest
 * first, decide the script where the text itself does not, and hold an asked-for language.
 */
export function detectLanguage(text: string, earlier: readonly string[] = []): Language {
  const asked = [text, ...earlier.toReversed()].map(askedLanguage).find(found => found !== undefined)
  if (asked !== undefined) return asked
  const unquoted = text.replace(/`[^`]*`|"[^"]*"|'[^']*'/g, '')
  const spoken = unquoted.trim() === '' ? text : unquoted
  if (!/\p{Script=Han}/u.test(spoken)) return 'en'
  for (const one of [spoken, ...earlier.toReversed()]) {
    const lead = count(one, TRADITIONAL) - count(one, SIMPLIFIED)
    if (lead !== 0) return lead > 0 ? 'zh-Hant' : 'zh-Hans'
  }
  return 'zh-Hans'
}

/** Longer texts are pasted material; their beginning decides. */
const MOST_TEXT = 2000

const count = (text: string, characters: string): number =>
  [...text.slice(0, MOST_TEXT)].filter(character => characters.includes(character)).length

/** The VitePress configuration of the documentation site. */
import { defineConfig, type UserConfig } from 'vitepress'
import { dropComments, escapeText, resolveLinks, slugify } from './markdown.ts'
import { writeMarkdownPages } from './markdown-pages.ts'
import { SECTIONS } from './navigation.ts'
import { addressOf, DOCS, isStale, listPages, titleOf } from './pages.ts'
import { tokenize } from './tokenize.ts'

const pages = new Set(listPages())

/** Chinese pages where there is a translation, else the English ones. */
function sidebar(language: 'en' | 'zh') {
  return SECTIONS.map(section => ({
    text: language === 'zh' ? section.zh : section.title,
    collapsed: !/^(Start|Concepts|Guides)$/.test(section.title),
    items: section.pages.map(page => {
      const shown = language === 'zh' && pages.has(`zh/${page}`) ? `zh/${page}` : page
      return { text: titleOf(shown), link: `/${addressOf(shown)}` }
    }),
  }))
}

/** Links of the top bar: the first page of the sections that most readers look for. */
function topBar(language: 'en' | 'zh') {
  return sidebar(language)
    .filter((_, index) => /^(Start|Concepts|Guides|Reference|Operate)$/.test(SECTIONS[index]?.title ?? ''))
    .flatMap(({ text, items }) => (items[0] === undefined ? [] : [{ text, link: items[0].link }]))
}

const CHINESE_LABELS = {
  outline: { label: '本页目录' },
  docFooter: { prev: '上一页', next: '下一页' },
  darkModeSwitchLabel: '外观',
  sidebarMenuLabel: '菜单',
  returnToTopLabel: '回到顶部',
  langMenuLabel: '语言',
  skipToContentLabel: '跳到正文',
}
const CHINESE_SEARCH = {
  button: { buttonText: '搜索', buttonAriaLabel: '搜索' },
  modal: {
    noResultsText: '没有结果',
    resetButtonTitle: '清除',
    displayDetails: '显示详情',
    footer: { selectText: '选择', navigateText: '切换', closeText: '关闭' },
  },
}

export function createSite(): UserConfig {
  return defineConfig({
    title: 'Toolwire',
    description:
      'A server and library that runs the tool calls of an AI agent and streams them to any client.',
    srcDir: DOCS,
    base: process.env['DOCS_BASE'] ?? '/',
    rewrites: Object.fromEntries(
      [...pages]
        .filter(page => /(^|\/)README$/.test(page))
        .map(page => [`${page}.md`, `${addressOf(page)}.md`]),
    ),
    locales: {
      root: {
        label: 'English',
        lang: 'en',
        themeConfig: { nav: topBar('en'), sidebar: sidebar('en'), outline: { level: [2, 3] } },
      },
      zh: {
        label: '简体中文',
        lang: 'zh-CN',
        themeConfig: { nav: topBar('zh'), sidebar: sidebar('zh'), ...CHINESE_LABELS },
      },
    },
    head: [['link', { rel: 'icon', href: 'data:,' }]],
    themeConfig: {
      // Most pages have no translation: the menu leads to the start page of the other language.
      i18nRouting: false,
      search: {
        provider: 'local',
        options: {
          miniSearch: { options: { tokenize } },
          locales: { zh: { translations: CHINESE_SEARCH } },
        },
      },
    },
    markdown: {
      html: false,
      linkify: false,
      anchor: { slugify },
      config(md) {
        dropComments(md)
        escapeText(md)
        resolveLinks(md)
      },
    },
    transformPageData(data) {
      if (data.relativePath.startsWith('zh/'))
        data.frontmatter['stale'] = isStale(data.filePath.replace(/\.md$/, ''))
    },
    buildEnd: ({ outDir }) => writeMarkdownPages(outDir),
  })
}

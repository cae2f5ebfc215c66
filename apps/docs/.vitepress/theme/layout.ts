import { onContentUpdated, useData } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { defineComponent, h } from 'vue'

/** The default layout with a notice above translations whose source has changed. */
export const Layout = defineComponent(() => {
  const { frontmatter } = useData()
  onContentUpdated(removeNestedButtons)
  const notice = () =>
    frontmatter.value.stale === true
      ? h('p', { class: 'stale-notice', role: 'note' }, '本页的英文原文已有改动，译文可能过时。')
      : undefined
  return () => h(DefaultTheme.Layout, null, { 'doc-before': notice })
})

/** A group of the side bar is a button already; the default theme puts a second one inside of it. */
function removeNestedButtons(): void {
  for (const caret of document.querySelectorAll('.VPSidebarItem > .item[role=button] > .caret')) {
    caret.removeAttribute('role')
    caret.removeAttribute('tabindex')
    caret.setAttribute('aria-hidden', 'true')
  }
}

import './style.css'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { Layout } from './layout.ts'

export default { extends: DefaultTheme, Layout }

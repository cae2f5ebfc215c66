/** The entry point of the app. */
import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import '@toolwire/react/styles.css'
import './styles/styles.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'

const place = document.getElementById('app')
if (place) createRoot(place).render(<App />)

// Chinese characters: a long table of ranges that the first paint need not wait for.
void import('@fontsource-variable/noto-sans-sc/wght.css').catch(() => {})

/** A page without a browser. Import it before any framework: they look for the document when they load. */
import { JSDOM } from 'jsdom'

const { window } = new JSDOM('<!doctype html><body></body>', {
  url: 'http://localhost/',
  pretendToBeVisual: true,
})
const NAMES = [
  'document',
  'Element',
  'Event',
  'HTMLElement',
  'HTMLIFrameElement',
  'HTMLTextAreaElement',
  'KeyboardEvent',
  'MouseEvent',
  'Node',
  'SVGElement',
] as const
Object.assign(globalThis, { window }, Object.fromEntries(NAMES.map(name => [name, window[name]])))

import { it } from 'node:test'
import { findChromium, NO_CHROMIUM } from '../kit/browser.ts'

const chromium = findChromium()
if (chromium) (await import('./panel.suite.ts')).addPanelSuite(chromium)
else it('the panel in a browser', { skip: NO_CHROMIUM }, () => {})

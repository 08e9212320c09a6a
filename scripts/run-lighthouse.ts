import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const LIGHTHOUSE = 'lighthouse@13.5.0'

/** What is read of a Lighthouse report. A score is between 0 and 1; null where it does not apply. */
export type LighthouseReport = {
  categories: Record<string, { score: number | null; auditRefs: { id: string }[] }>
  audits: Record<string, { score: number | null; title: string; numericValue?: number }>
}

/** Runs Lighthouse on a page, by default as a phone sees it; `own` are more of its arguments. Throws if it fails. */
export async function runLighthouse(
  url: string,
  chrome: string,
  categories: readonly string[],
  own: readonly string[] = [],
): Promise<LighthouseReport> {
  const dir = mkdtempSync(join(tmpdir(), 'recado-lighthouse-'))
  const file = join(dir, 'report.json')
  try {
    const args = [
      'exec',
      '--yes',
      `--package=${LIGHTHOUSE}`,
      '--',
      'lighthouse',
      url,
      '--quiet',
      '--output=json',
      `--output-path=${file}`,
      `--only-categories=${categories.join(',')}`,
      '--disable-full-page-screenshot',
      '--chrome-flags=--headless=new --no-sandbox --disable-dev-shm-usage',
      ...own,
    ]
    const child = spawn('npm', args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, CHROME_PATH: chrome },
    })
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    if (code !== 0) throw new Error(`lighthouse ended with ${code} for ${url}`)
    return JSON.parse(readFileSync(file, 'utf8')) as LighthouseReport
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

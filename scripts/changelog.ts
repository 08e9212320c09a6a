const UNRELEASED = '## [Unreleased]'

/**
 * Moves the entries under "Unreleased" of a changelog in the Keep a Changelog format to a new section for `version`, dated
 * `day` (YYYY-MM-DD). Returns the new text, or null if there are no entries.
 */
export function startRelease(changelog: string, version: string, day: string): string | null {
  const start = changelog.indexOf(UNRELEASED)
  if (start < 0) return null
  const from = start + UNRELEASED.length
  const next = changelog.indexOf('\n## ', from)
  const entries = changelog.slice(from, next < 0 ? undefined : next).trim()
  if (entries === '') return null
  const rest = next < 0 ? '' : changelog.slice(next)
  const release = `## [${version}] - ${day}\n\n${entries}\n`
  return `${changelog.slice(0, from)}\n\n${release}${rest}`
}

/** The text of a deployment file with `version` for the image of Recado and, in a chart, for the chart and its app. */
export function setDeployedVersion(text: string, version: string): string {
  return text
    .replaceAll(/\brecado:\d+\.\d+\.\d+/g, `recado:${version}`)
    .replaceAll(/^((?:appV|v)ersion: )\d+\.\d+\.\d+$/gm, `$1${version}`)
}

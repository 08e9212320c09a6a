import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setDeployedVersion, startRelease } from './changelog.ts'

const CHANGELOG = `# Changelog

## [Unreleased]

### Added

- Labels.

## [0.1.0] - 2026-12-01

### Added

- Messages.
`

test('a release contains the unreleased entries and does not change earlier releases', () => {
  const released = startRelease(CHANGELOG, '0.2.0', '2026-12-24')
  assert.equal(
    released,
    CHANGELOG.replace('## [Unreleased]', '## [Unreleased]\n\n## [0.2.0] - 2026-12-24'),
  )
})

test('a release without unreleased entries is rejected', () => {
  const released = startRelease(CHANGELOG, '0.2.0', '2026-12-24') ?? ''
  assert.equal(startRelease(released, '0.3.0', '2026-12-25'), null)
  assert.equal(startRelease('# Changelog\n', '0.3.0', '2026-12-25'), null)
})

test('the changelog follows the Keep a Changelog format', () => {
  const text = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8')
  const headings = text.split('\n').filter((line) => line.startsWith('##'))
  assert.equal(headings[0], '## [Unreleased]')
  for (const heading of headings.slice(1)) {
    assert.match(
      heading,
      /^(## \[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d|### (Added|Changed|Deprecated|Removed|Fixed|Security))$/,
    )
  }
  assert.notEqual(startRelease(text, '9.9.9', '2026-12-24'), null)
})

test('a release sets the version of the image and the chart, and no other', () => {
  const chart = 'apiVersion: v2\nversion: 0.1.0\nappVersion: 0.1.0\nkubeVersion: >=1.27.0-0\n'
  assert.equal(
    setDeployedVersion(chart, '0.2.0'),
    'apiVersion: v2\nversion: 0.2.0\nappVersion: 0.2.0\nkubeVersion: >=1.27.0-0\n',
  )
  assert.equal(
    setDeployedVersion('image: recado:0.1.0 postgres:18.0-bookworm caddy:2.10.2', '0.2.0'),
    'image: recado:0.2.0 postgres:18.0-bookworm caddy:2.10.2',
  )
})

// `npm run release -- 0.2.0`: moves the section "Unreleased" of the changelog under the version,
// writes the version to package.json, the lock file and what deploys the image, generates the API
// document and its clients again, commits and tags. Does not push.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createSystemClock } from '../src/kernel/clock.ts'
import { setDeployedVersion, startRelease } from './changelog.ts'

const [version = ''] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+$/.test(version)) fail(`expected a version such as 0.2.0, got «${version}»`)
const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()
if (git('status', '--porcelain') !== '') fail('the working tree has uncommitted changes')
if (git('tag', '--list', `v${version}`) !== '') fail(`the tag v${version} already exists`)

const day = new Date(createSystemClock().now()).toISOString().slice(0, 10)
const changelog = startRelease(readFileSync('CHANGELOG.md', 'utf8'), version, day)
if (changelog === null) fail('the section "Unreleased" of CHANGELOG.md is empty')
writeFileSync('CHANGELOG.md', changelog)
execFileSync('npm', ['version', version, '--no-git-tag-version', '--allow-same-version'], {
  stdio: 'inherit',
})
for (const file of git('ls-files', 'deploy', 'docs/operating/deploy.md').split('\n')) {
  const text = readFileSync(file, 'utf8')
  const next = setDeployedVersion(text, version)
  if (next !== text) writeFileSync(file, next)
}
// The API document names the version, and the client is generated from it.
for (const script of ['openapi', 'sdk', 'panel-types'])
  execFileSync('npm', ['run', '-s', script], { stdio: 'inherit' })
git('commit', '--all', '--message', `Release ${version}`)
git('tag', '--annotate', `v${version}`, '--message', `Recado ${version}`)
process.stdout.write(`Committed and tagged v${version}. Publish it with: git push --follow-tags\n`)

/** Prints the reason and exits with status 1. */
function fail(why: string): never {
  process.stderr.write(`cannot release: ${why}\n`)
  process.exit(1)
}

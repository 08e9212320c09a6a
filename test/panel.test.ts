// Rules for the source of the panel that its pages cannot show by themselves.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'node:test'
import { parseSync } from 'oxc-parser'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Elements that are a form, or that hold one in a dialog. */
const FORMS = new Set(['form', 'ActionForm', 'Dialog', 'Confirm'])

type Node = {
  type?: string
  id?: { name?: string } | null
  openingElement?: { name?: { name?: string } }
  source?: { value?: string }
  specifiers?: { local: { name: string } }[]
}
/** An element of a component, and whether it stands within a form there. */
type Element = { name: string; inForm: boolean }
/** The elements of each function by the function's name, and the file that each imported name comes from. */
type Parts = { path: string; elements: Map<string, Element[]>; imports: Map<string, string> }

function readParts(path: string, source: string): Parts {
  const elements = new Map<string, Element[]>()
  const imports = new Map<string, string>()
  const visit = (node: unknown, owner: string, inForm: boolean): void => {
    if (Array.isArray(node)) for (const item of node) visit(item, owner, inForm)
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return
    const { type, id, openingElement, source: from, specifiers = [] } = node as Node
    if (type === 'ImportDeclaration' && from?.value)
      for (const { local } of specifiers)
        imports.set(local.name, join('/', dirname(path), from.value).slice(1))
    const own = type === 'FunctionDeclaration' ? (id?.name ?? owner) : owner
    const name = type === 'JSXElement' ? openingElement?.name?.name : undefined
    if (name !== undefined) elements.set(own, [...(elements.get(own) ?? []), { name, inForm }])
    const within = inForm || name === 'form' || name === 'ActionForm'
    for (const value of Object.values(node)) visit(value, own, within)
  }
  visit(parseSync(path, source).program.body, '', false)
  return { path, elements, imports }
}

/** The places where a form stands within a form, also through components. */
function findNested(files: { path: string; source: string }[]): string[] {
  const all = new Map(files.map(({ path, source }) => [path, readParts(path, source)]))
  const holdsForm = (name: string, { path, elements, imports }: Parts, seen: Set<string>) => {
    if (FORMS.has(name)) return true
    const home = elements.has(name) ? path : (imports.get(name) ?? '')
    const parts = all.get(home)
    if (!parts || seen.has(`${home} ${name}`)) return false
    seen.add(`${home} ${name}`)
    const inside = parts.elements.get(name) ?? []
    return inside.some((one): boolean => holdsForm(one.name, parts, seen))
  }
  return [...all.values()].flatMap((parts) =>
    [...parts.elements.values()]
      .flat()
      .filter(({ name, inForm }) => inForm && holdsForm(name, parts, new Set()))
      .map(({ name }) => `${parts.path}: <${name}> holds a form and stands within a form`),
  )
}

describe('the source of the panel', () => {
  it('has no form within a form, which browsers submit by reloading the page', () => {
    const files = globSync('panel/src/**/*.tsx', { cwd: ROOT }).map((path) => ({
      path,
      source: readFileSync(`${ROOT}${path}`, 'utf8'),
    }))
    assert.deepEqual(findNested(files), [])
  })

  it('reports a form within a form if a component within a form opened a dialog', () => {
    const files = [
      { path: 'a/dialogs.tsx', source: 'function Schedule() { return <Dialog><p /></Dialog> }' },
      {
        path: 'b/reply.tsx',
        source: `import { Schedule } from '../a/dialogs.tsx'
          function Reply() { return <form><div><Schedule /></div></form> }`,
      },
    ]
    assert.deepEqual(findNested(files), [
      'b/reply.tsx: <Schedule> holds a form and stands within a form',
    ])
  })
})

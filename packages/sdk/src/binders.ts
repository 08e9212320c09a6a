import { ONCE } from './generated/once.gen.ts'
import { createList, type Page } from './pages.ts'
import type { CallOptions, Transport } from './transport.ts'
import { streamForm } from './upload.ts'
type Operation = (options: never) => Promise<{ data?: unknown }>
type Options<Op extends Operation> = NonNullable<Parameters<Op>[0]>
type Part<Op extends Operation, Name extends string> =
  Options<Op> extends Partial<Record<Name, infer Value>> ? Value : never
type Body<Op extends Operation> = Part<Op, 'body'>
type Query<Op extends Operation> = Exclude<Part<Op, 'query'>, undefined>
type Result<Op extends Operation> = Exclude<Awaited<ReturnType<Op>>['data'], undefined>
type Item<Op extends Operation> = Result<Op> extends Page<infer Value> ? Value : never
type Call<Op extends Operation, Names extends string[], More extends unknown[]> = (
  ...args: [...ids: { [Index in keyof Names]: string }, ...more: More, options?: CallOptions]
) => Promise<Result<Op>>
/** Makes calls out of generated functions; see `createBinders`. */
export type Binders = ReturnType<typeof createBinders>
/**
 * Makes calls out of generated functions. A call takes the ids of its path, the instance's first, then the body or query,
 * then `CallOptions`. It resolves with the response body or rejects with RecadoError.
 */
export function createBinders({ call }: Pick<Transport, 'call'>) {
  const run = <Op extends Operation>(op: Op, input: object, options?: CallOptions) =>
    call<Result<Op>>(op as never, input, options, !ONCE.has(op))
  /** Splits arguments into the ids of the path and the rest. */
  const split = (names: string[], args: unknown[]) => {
    const path = Object.fromEntries(names.map((name, index) => [name, args[index]]))
    return [path, ...args.slice(names.length)] as [object, unknown, CallOptions?]
  }
  /** Without `toInput`, a call takes nothing between the ids and the options. */
  const bind =
    (op: Operation, names: string[], toInput: ((part: unknown) => object) | null) =>
    (...args: unknown[]) => {
      const [path, ...rest] = split(names, args)
      const [part, options] = toInput ? rest : [null, ...rest]
      return run(op, { path, ...toInput?.(part) }, options as CallOptions)
    }
  const get = <Op extends Operation, const Names extends string[]>(op: Op, ...names: Names) =>
    bind(op, names, null) as Call<Op, Names, []>
  const find = <Op extends Operation, const Names extends string[]>(op: Op, ...names: Names) =>
    bind(op, names, (query) => ({ query })) as Call<Op, Names, [query?: Query<Op>]>
  const change = <Op extends Operation, const Names extends string[]>(op: Op, ...names: Names) =>
    bind(op, names, (body) => ({ body })) as Call<Op, Names, [body: Body<Op>]>
  const upload = <Op extends Operation, const Names extends string[]>(op: Op, ...names: Names) =>
    bind(op, names, (body) => ({ body, ...streamForm(body as object) })) as Call<
      Op,
      Names,
      [body: Body<Op>]
    >
  const list =
    <Op extends Operation, const Names extends string[]>(op: Op, ...names: Names) =>
    (...args: Parameters<Call<Op, Names, [query?: Query<Op>]>>) => {
      const [path, query, options] = split(names, args)
      return createList<Item<Op>>(
        query as Parameters<typeof createList>[0],
        (page) => run(op, { path, query: page }, options) as Promise<Page<Item<Op>>>,
      )
    }
  return { get, find, change, upload, list }
}

import type { FastifySchemaCompiler } from 'fastify'
import { compilePart, type HttpPart } from '../../kernel/validation.ts'

/** Compiles the schemas of routes: `compilePart` in the form that Fastify asks for. */
export const compileSchema: FastifySchemaCompiler<unknown> = ({ schema, httpPart }) =>
  compilePart(schema as object, httpPart as HttpPart)

/** Compiles a route whose body has a validator of its own, such as that of `bodyByType`. */
export const compileWithBody =
  (
    validate: (value: unknown) => { value: unknown } | { error: Error },
  ): FastifySchemaCompiler<unknown> =>
  (route) =>
    route.httpPart === 'body' ? validate : compileSchema(route)

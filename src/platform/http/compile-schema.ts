import type { FastifySchemaCompiler } from 'fastify'
import { compilePart, type HttpPart } from '../../kernel/validation.ts'

/** Adapts `compilePart` to Fastify's interface for schema compilers. */
export const compileSchema: FastifySchemaCompiler<unknown> = ({ schema, httpPart }) =>
  compilePart(schema as object, httpPart as HttpPart)

/** Compiles the schemas of a route whose body has its own validator, such as that of `bodyByType`. */
export const compileWithBody =
  (
    validate: (value: unknown) => { value: unknown } | { error: Error },
  ): FastifySchemaCompiler<unknown> =>
  (route) =>
    route.httpPart === 'body' ? validate : compileSchema(route)

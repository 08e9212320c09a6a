import type { TSchema } from 'typebox'
import { compilePart, describeSchemaError, SchemaError } from './validation.ts'

/**
 * Builds a request body schema whose `type` selects one of several schemas; without `type`, the first schema that does
 * not require it applies. Only the selected schema is validated, so that an error refers to the type the caller meant.
 */
export function bodyByType(branches: [type: string, schema: TSchema][]) {
  const validators = new Map(branches.map(([type, schema]) => [type, compilePart(schema, 'body')]))
  const fallback = branches.find(
    ([, schema]) => !((schema as { required?: string[] }).required ?? []).includes('type'),
  )?.[0]

  function validate(value: unknown) {
    const named = typeof value === 'object' && value !== null && 'type' in value
    const type = named ? value.type : fallback
    if (type === undefined && !isPlainObject(value)) return first(value)
    const validator = typeof type === 'string' ? validators.get(type) : undefined
    if (validator) return validator(value)
    const missing = type === undefined
    return {
      error: new SchemaError({
        keyword: missing ? 'required' : 'enum',
        instancePath: missing ? '' : '/type',
        schemaPath: '',
        params: missing
          ? { missingProperty: 'type' }
          : { allowedValues: branches.map(([name]) => name) },
      }),
    }
  }

  /** A value that is not an object fails in the same way for every schema. */
  function first(value: unknown) {
    const [validator] = validators.values()
    return validator?.(value) ?? { value }
  }

  /** Validates a value that is the field `name` of a body. Throws 400 with the path of the field at fault. */
  function validateField(name: string, value: unknown): void {
    const result = validate(value)
    if (!('error' in result) || !result.error) return
    const { error } = result
    if (!(error instanceof SchemaError) || !error.problem) throw error
    const instancePath = `/${name}${error.problem.instancePath}`
    throw describeSchemaError(new SchemaError({ ...error.problem, instancePath }), {})
  }

  return {
    validate,
    validateField,
    body: {
      oneOf: branches.map(([, schema]) => schema),
      // A discriminator must be required, and here the fallback leaves it out.
      ...(fallback === undefined ? { discriminator: { propertyName: 'type' } } : {}),
    } as unknown as TSchema,
  }
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

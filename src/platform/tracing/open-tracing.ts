import type { Config } from '../../kernel/config/config.ts'
import { NO_TRACING, type Tracing } from './tracing.port.ts'

/** Opens the configured collector of traces. The library is loaded only if there is one. */
export async function openTracing(
  { tracing }: Pick<Config, 'tracing'>,
  nodeId: string,
): Promise<Tracing> {
  if (!tracing) return NO_TRACING
  const { openOtlpTracing } = await import('./otlp.ts')
  return openOtlpTracing(tracing, nodeId)
}

// The CPU time of a process by function, from V8's sampling profiler.
import { Session, type Profiler } from 'node:inspector/promises'

/** CPU time that one function used itself, without the functions it called. */
export type FunctionTime = { name: string; place: string; ms: number }
/** The CPU time of a process in milliseconds: in all, by area (a module, a package, Node.js) and by function. */
export type CpuProfile = { totalMs: number; areas: Record<string, number>; top: FunctionTime[] }

const SAMPLE_US = 500
const TOP = 15
const PLACES = [/\/node_modules\/((?:@[^/]+\/)?[^/]+)/, /\/(src\/[^/]+\/[^/]+)/, /^(node:[^/]+)/]

/** Starts profiling; the returned function stops and summarizes. */
export async function profileCpu(): Promise<() => Promise<CpuProfile>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US })
  await session.post('Profiler.start')
  const before = process.cpuUsage()
  return async () => {
    const { profile } = await session.post('Profiler.stop')
    const { user, system } = process.cpuUsage(before)
    session.disconnect()
    return { totalMs: (user + system) / 1000, ...summarise(profile) }
  }
}

function summarise(profile: Profiler.Profile): Pick<CpuProfile, 'areas' | 'top'> {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node.callFrame]))
  const areas: Record<string, number> = {}
  const functions = new Map<string, FunctionTime>()
  for (const [index, id] of (profile.samples ?? []).entries()) {
    const frame = nodes.get(id)
    const ms = (profile.timeDeltas?.[index] ?? 0) / 1000
    if (!frame || frame.functionName === '(idle)') continue
    const { functionName, url, lineNumber } = frame
    const area = areaOf(url, functionName)
    areas[area] = (areas[area] ?? 0) + ms
    const file = url.replace(/^.*\/(?=src\/|node_modules\/)/, '')
    const place = file ? `${file}:${lineNumber + 1}` : ''
    const key = `${functionName} ${place}`
    const known = functions.get(key) ?? { name: functionName || '(anonymous)', place, ms: 0 }
    known.ms += ms
    functions.set(key, known)
  }
  const top = [...functions.values()].toSorted((a, b) => b.ms - a.ms).slice(0, TOP)
  return { areas, top }
}

function areaOf(url: string, name: string): string {
  for (const place of PLACES) {
    const found = place.exec(url)?.[1]
    if (found) return found
  }
  return name === '(garbage collector)' ? name : '(native)'
}

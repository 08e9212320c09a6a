type Listed = { projectId: string }

/** Round-robin queue of endpoints with deliveries to send: first over Projects, then over the webhooks of each. */
export type RoundRobin<Endpoint extends Listed> = {
  add(endpoint: Endpoint): void
  /** Removes and returns the next endpoint, or null. The caller adds it again if it has more to send. */
  next(): Endpoint | null
}

/**
 * Creates an empty round-robin queue. Every delivery occupies one slot, so that one delivery per turn is a fair share
 * (G51).
 */
export function createRoundRobin<Endpoint extends Listed>(): RoundRobin<Endpoint> {
  const waiting = new Map<string, Endpoint[]>()
  const projects: string[] = []
  return {
    add(endpoint) {
      const { projectId } = endpoint
      const line = waiting.get(projectId)
      if (line) {
        line.push(endpoint)
        return
      }
      waiting.set(projectId, [endpoint])
      projects.push(projectId)
    },
    next() {
      const projectId = projects.shift()
      if (projectId === undefined) return null
      const line = waiting.get(projectId) ?? []
      const endpoint = line.shift() ?? null
      if (line.length > 0) projects.push(projectId)
      else waiting.delete(projectId)
      return endpoint
    },
  }
}

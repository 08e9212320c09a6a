type Listed = { projectId: string }

/** Endpoints that have something to send, in turns: each Project has its turn, and in it each of its webhooks. */
export type Turns<Endpoint extends Listed> = {
  add(endpoint: Endpoint): void
  /** Takes the next one out; who has more to send is added again, behind the others. */
  next(): Endpoint | null
}

/** Every delivery takes one place, so that a turn of one each is a fair share (deliveries §1.9). */
export function createTurns<Endpoint extends Listed>(): Turns<Endpoint> {
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

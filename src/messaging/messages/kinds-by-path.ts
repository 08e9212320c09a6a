import { sendableKinds } from './messages.schemas.ts'

/** Returns the sub-paths with the kinds each accepts; a path with several kinds distinguishes them by `type`. */
export function groupKindsByPath() {
  return [...Map.groupBy(sendableKinds, (kind) => kind.path ?? '')].map(([path, group]) => ({
    path,
    operationId: path.replace(/^\/./, (first) => `send${first.charAt(1).toUpperCase()}`),
    summary: group[0]?.summary ?? '',
    kinds: group,
  }))
}

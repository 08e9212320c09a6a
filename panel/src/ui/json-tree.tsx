/** A JSON value as a tree; objects and arrays collapse. */
export function JsonTree({
  value,
  name,
  open = true,
}: {
  value: unknown
  name?: string
  open?: boolean
}) {
  const label = name === undefined ? null : <span className="json-name">{name}: </span>
  if (typeof value !== 'object' || value === null) {
    return (
      <div className="json-value">
        {label}
        <code>{JSON.stringify(value)}</code>
      </div>
    )
  }
  const entries = Object.entries(value)
  const [before, after] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (entries.length === 0) {
    return (
      <div className="json-value">
        {label}
        <code>
          {before}
          {after}
        </code>
      </div>
    )
  }
  return (
    <details className="json" open={open}>
      <summary>
        {label}
        <code>
          {before} {entries.length} {after}
        </code>
      </summary>
      <div className="json-inner">
        {entries.map(([key, inner]) => (
          <JsonTree key={key} name={key} value={inner} />
        ))}
      </div>
    </details>
  )
}

/** The color of a label; with a title where its name does not stand beside it. */
export function Dot({ color, title }: { color: string; title?: string }) {
  return (
    <svg
      width="8"
      height="8"
      {...(title === undefined
        ? { 'aria-hidden': true }
        : ({ role: 'img', 'aria-label': title } as const))}
    >
      {title !== undefined && <title>{title}</title>}
      <circle cx="4" cy="4" r="4" fill={color} />
    </svg>
  )
}

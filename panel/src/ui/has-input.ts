/** Whether the user has typed or chosen a file in a field within `element`. */
export const hasInput = (element: Element | null): boolean =>
  [...(element?.querySelectorAll<HTMLInputElement>('input, textarea') ?? [])].some(
    ({ value, defaultValue, type, files }) =>
      type === 'file' ? (files?.length ?? 0) > 0 : value !== defaultValue,
  )

import { Component, lazy, type ComponentType, type ReactNode } from 'react'
import { whyUnavailable } from '../data/script-unavailable.ts'
import { ErrorBlock } from './error-block.tsx'

/** Catches the failure of one part, so that the page around it stays. Tries again on a click, and when online again. */
class PartBoundary extends Component<
  { part: () => ReactNode; isQuiet: boolean; onRetry: () => void },
  { error: unknown }
> {
  override state = { error: null }
  static getDerivedStateFromError = (error: unknown) => ({ error })
  private readonly retry = () => {
    this.props.onRetry()
    this.setState({ error: null })
  }
  private readonly retryOnline = () => {
    if (this.state.error) this.retry()
  }
  override componentDidMount() {
    window.addEventListener('online', this.retryOnline)
  }
  override componentWillUnmount() {
    window.removeEventListener('online', this.retryOnline)
  }
  override render() {
    const { error } = this.state
    if (!error) return this.props.part()
    return this.props.isQuiet ? null : <ErrorBlock error={error} retry={this.retry} />
  }
}

/**
 * Declares a part of a page whose script is loaded when the part is first rendered; needs a Suspense around it. If the
 * script cannot be loaded, the part shows the error and a retry, and nothing if `isQuiet`: the rest of the page stays.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { isQuiet = false } = {},
): ComponentType<Props> {
  const make = () =>
    lazy(async () => {
      try {
        return { default: await load() }
      } catch (cause) {
        throw await whyUnavailable(cause)
      }
    }) as unknown as ComponentType<Props>
  let Part = make()
  return function LazyPart(props: Props) {
    return (
      <PartBoundary
        isQuiet={isQuiet}
        onRetry={() => (Part = make())}
        part={() => <Part {...props} />}
      />
    )
  }
}

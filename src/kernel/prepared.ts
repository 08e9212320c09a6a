/** What was prepared for a request. It is disposed of when the request has ended, unless that has used and kept it. */
export type Prepared = AsyncDisposable & { keep(): void }

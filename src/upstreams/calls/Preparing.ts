/** Hears of work before a request is sent: a client that leaves meanwhile pays nothing. */
export interface Preparing {
  /** The work begins. Call the result when it is done. */
  readonly prepares: () => () => void
}

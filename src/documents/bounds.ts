/** Bounds on reading one document; a request that exceeds one is refused. */
export const bounds = {
  pages: 500,
  characters: 2_000_000,
  /** CPU time; the elapsed time may be six times as long, because the process has low priority. */
  seconds: 5,
  /** Resident memory of the whole reader process. */
  bytes: 256 * 1024 * 1024
} as const

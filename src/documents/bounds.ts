/** What reading one document may take; past any of these its request is refused. */
export const bounds = {
  pages: 500,
  characters: 2_000_000,
  /** Of a processor's time; six times as long in all, since whatever else the machine does goes first. */
  seconds: 5,
  /** Resident memory of the process that reads, all of it. */
  bytes: 256 * 1024 * 1024
} as const

import { Duration } from "effect"

/**
 * Two submits within this time may be confused with each other in the upstream's list: longer than any submit takes.
 */
export const rivalryMs = Duration.toMillis("5 minutes")
/** The most fingerprints that are read for this. */
export const mostRivals = 1_000

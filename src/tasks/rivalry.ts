import { Duration } from "effect"

/**
 * Two submits within this time may be confused with each other in the upstream's list: longer than any submit takes.
 */
export const rivalryMs = Duration.toMillis("5 minutes")
/** The most requests that are read for this, because they may contain images. */
export const mostRivals = 20

import { Duration } from "effect"

/** Submits within this of each other may have made each other's videos: longer than any submit takes. */
export const rivalryMs = Duration.toMillis("5 minutes")
/** Their requests are read whole, with images in them perhaps. */
export const mostRivals = 20

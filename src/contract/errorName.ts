import type { Failure } from "./Failure.ts"

/** A failure's kind as logs, rows and metrics have it: `RateLimited` is `rate_limited`. */
export const errorName = ({ _tag }: Pick<Failure, "_tag">): string =>
  _tag.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

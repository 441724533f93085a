import type { Failure } from "./Failure.ts"

/** A failure's kind in logs, rows and metrics: `rate_limited` for `RateLimited`. */
export const errorName = ({ _tag }: Pick<Failure, "_tag">): string =>
  _tag.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

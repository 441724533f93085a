/** A failure's kind in logs, rows and metrics: `rate_limited` for `RateLimited`. */
export const errorName = ({ _tag }: { readonly _tag: string }): string =>
  _tag.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

/** Headers with callers' own request ids, for their logs and traces. */
const names = ["x-client-request-id", "traceparent"] as const

/**
 * Copies a caller's own request ids to the reply, unless they are too long or not printable.
 *
 * @param reply the reply's headers
 */
export const echo = (request: Headers, reply: Record<string, string>): void => {
  for (const name of names) {
    const value = request.get(name)
    if (value !== null && printable.test(value)) reply[name] = value
  }
}

/** OpenAI accepts up to 512 characters. */
const printable = /^[\x20-\x7e]{1,512}$/

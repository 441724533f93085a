/** What callers name their requests by, for their own logs and traces. */
const names = ["x-client-request-id", "traceparent"] as const

/**
 * Gives a caller's own names for its request back to it. What is too long or holds what no log should is left out.
 *
 * @param reply the reply's headers
 */
export const echo = (request: Headers, reply: Record<string, string>): void => {
  for (const name of names) {
    const value = request.get(name)
    if (value !== null && printable.test(value)) reply[name] = value
  }
}

/** As long as OpenAI takes them. */
const printable = /^[\x20-\x7e]{1,512}$/

/** How those who sell tokens name their id of a call: OpenAI and most others, Anthropic, Ark, Azure, Bedrock. */
const names = ["x-request-id", "request-id", "x-tt-logid", "apim-request-id", "x-amzn-requestid"] as const

/** What is no longer than ids are, and may stand in a header and in the log. */
const isId = (value: string): boolean => value.length <= 200 && /^[!-~]+$/.test(value)

/** The upstream's own id of a call, which its support asks for; undefined where it tells none. */
export const upstreamRequestIdIn = (headers: Headers): string | undefined => {
  for (const name of names) {
    const value = headers.get(name)
    if (value !== null && isId(value)) return value
  }
  return undefined
}

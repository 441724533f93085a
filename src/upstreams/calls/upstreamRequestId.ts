/** The header of a call's id at OpenAI and most others, Anthropic, Ark, Azure and Bedrock. */
const names = ["x-request-id", "request-id", "x-tt-logid", "apim-request-id", "x-amzn-requestid"] as const

/** True for a value of a plausible length and characters, safe for a header and the log. */
const isId = (value: string): boolean => value.length <= 200 && /^[!-~]+$/.test(value)

/** The upstream's id of a call, which its support asks for; undefined if it gave none. */
export const upstreamRequestIdIn = (headers: Headers): string | undefined => {
  for (const name of names) {
    const value = headers.get(name)
    if (value !== null && isId(value)) return value
  }
  return undefined
}

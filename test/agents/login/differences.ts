import type { Exchange } from "./recorder.ts"

interface Difference {
  readonly name: string
  readonly wrong: string | undefined
}

/** What one of the two has that the other does not, on purpose. */
const known: Readonly<
  Record<string, { readonly ours?: ReadonlyArray<string>; readonly reference?: ReadonlyArray<string> }>
> = {
  "GET /.well-known/oauth-authorization-server 200": {
    ours: [
      "answer revocation_endpoint",
      // Of sign-ins for tools, by a code.
      "answer authorization_endpoint",
      "answer authorization_response_iss_parameter_supported",
      "answer code_challenge_methods_supported[]",
      "answer registration_endpoint",
      "answer response_modes_supported[]",
      "header cache-control"
    ],
    reference: ["answer gateway_protocol_version", "answer scopes_supported[]"]
  },
  // The client asks whether this is the account that was meant.
  "POST /oauth/token 200": { ours: ["answer email"] },
  "POST /oauth/token 400": { ours: ["answer error_description"] },
  "POST /oauth/token 401": { ours: ["answer error_description"] },
  "POST /oauth/token 503": { ours: ["answer error_description"] },
  "GET /managed/settings 200": { ours: ["header cache-control"] },
  "GET /managed/settings 304": { ours: ["header cache-control", "header etag"] },
  "POST /v1/logs 200": { ours: ["header content-type application/json"] },
  "POST /v1/metrics 200": { ours: ["header content-type application/json"] },
  // The threshold: at the reference no budget is nearly used up.
  "POST /v1/messages 200": {
    ours: [
      "header cache-control",
      "header anthropic-ratelimit-unified-overage-surpassed-threshold",
      // What the fake upstream leaves out.
      "answer usage.cache_creation.ephemeral_1h_input_tokens",
      "answer usage.cache_creation.ephemeral_5m_input_tokens"
    ]
  },
  "POST /v1/messages 400": { ours: ["header x-should-retry"] },
  "POST /v1/messages 429": { ours: ["answer request_id"] }
}

/** The reference can revoke nothing, and lets an access token live as long as it says. */
const onlyOurs = [
  "GET /managed/settings 401",
  "POST /oauth/revoke 200",
  "POST /v1/messages 401",
  "POST /v1/messages 503"
]

/** Headers that HTTP clients set by themselves. */
export const ofConnection = ["accept", "accept-encoding", "connection", "content-length", "host"]

/** What the client reads of an answer's headers. */
export const isRead = (header: string): boolean =>
  /^(?:content-type|cache-control|etag|retry-after|x-should-retry|anthropic-ratelimit-.*)$/.test(header)

/** What differs between two gateways' exchanges with one client: what it sends, and what it gets to read. */
export const differences = (
  ours: ReadonlyArray<Exchange>,
  reference: ReadonlyArray<Exchange>
): ReadonlyArray<Difference> => {
  const [mine, theirs] = [shapes(ours), shapes(reference)]
  const names = [...new Set([...mine.keys(), ...theirs.keys()])].toSorted()
  return names.map((name) => {
    const [one, other] = [mine.get(name), theirs.get(name)]
    if (one === undefined) return { name, wrong: "never at ours" }
    if (other === undefined) return { name, wrong: onlyOurs.includes(name) ? undefined : "never at the reference" }
    const wrongs = [
      ...lacking(one, other, known[name]?.ours).map((part) => `only ours: ${part}`),
      ...lacking(other, one, known[name]?.reference).map((part) => `only the reference's: ${part}`)
    ]
    return { name, wrong: wrongs.length === 0 ? undefined : wrongs.join("\n") }
  })
}

const lacking = (of: ReadonlySet<string>, at: ReadonlySet<string>, but: ReadonlyArray<string> = []) =>
  [...of].filter((part) => !at.has(part) && !but.includes(part)).toSorted()

const nameOf = ({ method, path, status }: Exchange) => `${method} ${path.split("?")[0]} ${status}`

/** Two exchanges of one kind have the same. */
export const shapeOf = (exchange: Exchange): string => [nameOf(exchange), ...partsOf(exchange).toSorted()].join("\n")

const shapes = (exchanges: ReadonlyArray<Exchange>): ReadonlyMap<string, ReadonlySet<string>> => {
  const found = new Map<string, Set<string>>()
  for (const exchange of exchanges) {
    const name = nameOf(exchange)
    const parts = found.get(name) ?? new Set<string>()
    found.set(name, parts)
    for (const part of partsOf(exchange)) parts.add(part)
  }
  return found
}

const partsOf = ({ answer, answerHeaders, body, headers }: Exchange): ReadonlyArray<string> => [
  ...Object.keys(headers)
    .filter((name) => !ofConnection.includes(name))
    .map((name) => `request header ${name}`),
  ...sent(body, headers["content-type"]).map((name) => `request ${name}`),
  ...Object.entries(answerHeaders)
    .filter(([name]) => isRead(name))
    .map(([name, value]) => `header ${name}${name === "content-type" ? ` ${value.split(";")[0]}` : ""}`),
  ...(answerHeaders["content-type"]?.startsWith("application/json") === true
    ? pathsOf(JSON.parse(answer)).map((path) => `answer ${path}`)
    : [])
]

/** A request's fields; of a message only the outermost, for the rest is the developer's. */
const sent = (body: string, type = ""): ReadonlyArray<string> => {
  if (type.startsWith("application/json")) return Object.keys(JSON.parse(body))
  return [...new URLSearchParams(body).keys()]
}

/** The paths to its leaves: `error.message`, `limits[].kind`. */
const pathsOf = (value: unknown, path = ""): ReadonlyArray<string> => {
  if (Array.isArray(value))
    return value.length === 0 ? [`${path}[]`] : value.flatMap((one) => pathsOf(one, `${path}[]`))
  if (typeof value !== "object" || value === null) return [path]
  return Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, path === "" ? name : `${path}.${name}`))
}

/** Where a gateway listens, and a key that it knows. */
interface Reachable {
  readonly url: string
  readonly key?: string | undefined
}

interface Options {
  /** Text as it is, everything else as JSON. */
  readonly body?: unknown
  /** `POST` for what has a body, `GET` otherwise. */
  readonly method?: string
  /** Instead of the gateway's own. */
  readonly key?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

/** Sends a request to a gateway, with its key. */
export const request = (gateway: Reachable, path: string, options: Options = {}): Promise<Response> => {
  const { body, headers, key = gateway.key, method = body === undefined ? "GET" : "POST", signal } = options
  return fetch(`${gateway.url}${path}`, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal })
  })
}

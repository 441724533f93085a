/** Lets web pages of configured origins call the gateway. */
export interface Cors {
  /** Adds the CORS headers of an answer. */
  readonly allow: (request: Request, headers: Record<string, string>) => void
  /** The answer to a preflight of a configured origin, otherwise undefined. */
  readonly preflight: (request: Request, headers: Record<string, string>) => Response | undefined
}

/** @param origins as browsers send them (`https://app.example.com`), or `*`; an empty list turns CORS off */
export const corsOf = (origins: ReadonlyArray<string>): Cors | undefined => {
  if (origins.length === 0) return undefined
  const listed = new Set(origins)
  const allowedOrigin = (request: Request): string | undefined => {
    const origin = request.headers.get("origin")
    if (origin === null) return undefined
    return listed.has("*") ? "*" : listed.has(origin) ? origin : undefined
  }
  const allow: Cors["allow"] = (request, headers) => {
    // Caches must not serve one origin's answer to another.
    headers["vary"] = "origin"
    const origin = allowedOrigin(request)
    if (origin === undefined) return
    headers["access-control-allow-origin"] = origin
    // Client libraries read request ids and rate limits; keys travel in a header, never as a cookie.
    headers["access-control-expose-headers"] = "*"
  }
  return {
    allow,
    preflight: (request, headers) => {
      const method = request.headers.get("access-control-request-method")
      if (request.method !== "OPTIONS" || method === null || allowedOrigin(request) === undefined) return undefined
      allow(request, headers)
      headers["access-control-allow-methods"] = "GET, POST, DELETE"
      // `*` would not cover `authorization`.
      const requested = request.headers.get("access-control-request-headers")
      if (requested !== null) headers["access-control-allow-headers"] = requested
      headers["access-control-max-age"] = "7200"
      return new Response(null, { status: 204, headers })
    }
  }
}

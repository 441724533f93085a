import { Redacted } from "effect"
import type { EndpointPath } from "../config/baseUrl.ts"
import { withoutSlash } from "../config/withoutSlash.ts"

/** Where a protocol is spoken behind a base URL, and how its requests say whose they are. */
export interface Endpoint {
  /** Stands between the base URL and the path; a base URL may have it already. Empty where it is the base URL's own. */
  readonly version: "/v1" | ""
  readonly path: EndpointPath
  readonly headers: (apiKey: string | undefined) => Readonly<Record<string, string>>
}

/** A configured place with an endpoint. */
export interface EndpointOptions {
  /** http or https; with or without a slash at its end. */
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted | undefined
  /** Headers of the operator's own. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The key as nearly all want it. */
export const bearer = (apiKey: string | undefined): Readonly<Record<string, string>> =>
  apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }

/** The address of a path behind a base URL, which may or may not hold the version already. */
export const addressOf = ({ version }: Pick<Endpoint, "version">, baseUrl: string, path: string): string => {
  const base = withoutSlash(baseUrl)
  return base.endsWith(version) ? base + path : base + version + path
}

/**
 * The headers of a request to a place; the operator's own win.
 *
 * @param more what this request brings with it
 */
export const headersTo = (
  endpoint: Pick<Endpoint, "headers">,
  { apiKey, headers }: EndpointOptions,
  more?: Readonly<Record<string, string>>
): Readonly<Record<string, string>> => ({
  ...endpoint.headers(apiKey === undefined ? undefined : Redacted.value(apiKey)),
  ...more,
  ...headers
})

/** What must not be told to callers where a place's own words are: longer ones first. */
export const secretsOf = ({ apiKey, baseUrl, headers = {} }: EndpointOptions, url = baseUrl): ReadonlyArray<string> => [
  ...(apiKey === undefined ? [] : [Redacted.value(apiKey)]),
  ...Object.values(headers),
  url,
  baseUrl,
  withoutSlash(baseUrl),
  URL.parse(baseUrl)?.host ?? ""
]

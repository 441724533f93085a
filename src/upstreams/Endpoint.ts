import { Redacted } from "effect"
import type { JsonObject } from "../contract/fields.ts"
import { isSecret } from "../contract/callers/withoutSecrets.ts"
import type { Auth } from "../credentials/Auth.ts"
import type { EndpointPath } from "../config/baseUrl.ts"
import { withoutSlash } from "../config/withoutSlash.ts"

/** A protocol's path behind a base URL, and the headers that authenticate its requests. */
export interface Endpoint {
  /**
   * Goes between the base URL and the path, unless the base URL ends with it already. Empty where the base URL names
   * it.
   */
  readonly version: "/v1" | ""
  readonly path: EndpointPath
  readonly headers: (apiKey: string | undefined) => Readonly<Record<string, string>>
  /** If the path depends on the request: the request as it is sent, for the usual path. */
  readonly placed?: (request: Placeable, path: EndpointPath) => Placed
}

/** A request in the protocol's usual form. */
export interface Placeable {
  readonly body: JsonObject
  /** The caller's headers that belong to the dialect. */
  readonly headers: Readonly<Record<string, string>> | undefined
}

export interface Placed extends Placeable {
  /** Behind the base URL. */
  readonly path: string
}

/** PEM texts for the connection: the authority to trust, and the certificate and key to show. */
export interface ClientTls {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

/** The address and credentials of a configured upstream. */
export interface EndpointOptions {
  /** http or https, with or without a trailing slash. */
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted | undefined
  /** Headers that the operator configured. */
  readonly headers?: Readonly<Record<string, string>>
  readonly tls?: ClientTls | undefined
  /** Address of the proxy that calls go by. */
  readonly proxy?: string | undefined
  /** Credentials that end, in place of the key. */
  readonly auth?: Auth | undefined
}

/** The part of the options that a call is made with. */
export const connectionOf = ({ auth, proxy, tls }: EndpointOptions) => ({ auth, proxy, tls })

/** The key as a bearer token, which most providers expect. */
export const bearer = (apiKey: string | undefined): Readonly<Record<string, string>> =>
  apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }

/** An endpoint that takes the key as a bearer token, in place of its own header. */
export const withBearerKey = (endpoint: Endpoint): Endpoint => ({
  ...endpoint,
  headers: (apiKey) => ({ ...endpoint.headers(undefined), ...bearer(apiKey) })
})

/** The address and the form of requests to an endpoint, by its path unless the endpoint places them. */
export const makePlacing = (endpoint: Endpoint, baseUrl: string, path: EndpointPath) => {
  const url = addressOf(endpoint, baseUrl, path)
  return (request: Placeable): Placeable & { readonly url: string } => {
    if (endpoint.placed === undefined) return { ...request, url }
    const { path: own, ...changed } = endpoint.placed(request, path)
    return { ...changed, url: addressOf(endpoint, baseUrl, own) }
  }
}

/** The URL of a path behind a base URL that may end with the version already, and may have a query. */
export const addressOf = ({ version }: Pick<Endpoint, "version">, baseUrl: string, path: string): string => {
  const [before = "", query = ""] = baseUrl.split("?", 2)
  const base = withoutSlash(before)
  const address = base.endsWith(version) ? base + path : base + version + path
  return query === "" ? address : `${address}${path.includes("?") ? "&" : "?"}${query}`
}

/**
 * The headers of a request to an upstream. The operator's own win.
 *
 * @param more headers of this request alone
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

/** Secrets to cut from an upstream's words before callers see them, longer ones first. */
export const secretsOf = (
  { apiKey, auth, baseUrl, headers = {} }: EndpointOptions,
  url = baseUrl
): ReadonlyArray<string> =>
  [
    ...(auth?.secrets() ?? []),
    // Kling's are two in one, with a colon between them.
    ...(apiKey === undefined ? [] : [Redacted.value(apiKey), ...Redacted.value(apiKey).split(":")]),
    ...Object.values(headers),
    url,
    baseUrl,
    withoutSlash(baseUrl),
    URL.parse(baseUrl)?.host ?? "",
    ...[...(URL.parse(baseUrl)?.searchParams ?? [])].flatMap(([name, value]) => (name === version ? [] : [value]))
  ].filter(isSecret)

/** `secretsOf` for each call, computed once unless the credentials change. */
export const secretsAt = (options: EndpointOptions, url?: string): (() => ReadonlyArray<string>) => {
  const usual = secretsOf({ ...options, auth: undefined }, url)
  return options.auth === undefined ? () => usual : () => secretsOf(options, url)
}

/** Azure's parameter: its value is a date, which models' names have too. */
const version = "api-version"

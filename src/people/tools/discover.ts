import { Effect } from "effect"
import { listAt, textAt, isObject } from "../../contract/json/json.ts"
import type { JsonObject } from "../../contract/fields.ts"
import { modernRequest } from "../../mcp/requests.ts"
import type { PersonServer } from "../../mcp/PersonGrants.ts"
import { isSafe } from "./ask.ts"
import type { Ask } from "./ask.ts"
import { readChallenge, together, wordsOf } from "./challenge.ts"
import { ConnectFailed } from "./ConnectFailed.ts"

/** The sign-in of a server, as its metadata describes it. */
export interface ServerSignIn {
  readonly issuer: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly registrationEndpoint: string | undefined
  /** True if the answer names its issuer (RFC 9207). */
  readonly namesIssuer: boolean
  /** True if the gateway's client id may be the address of its document. */
  readonly takesDocuments: boolean
  readonly authMethods: ReadonlyArray<string>
  /** The resource that tokens are asked for (RFC 8707). */
  readonly resource: string
  readonly scopes: ReadonlyArray<string>
}

/** Finds out how people sign in at a server: by its 401, its own metadata (RFC 9728), and that of its issuer (RFC 8414). */
export const discover = (server: PersonServer, ask: Ask): Effect.Effect<ServerSignIn, ConnectFailed> =>
  Effect.gen(function* () {
    const { body, headers } = modernRequest(1, "tools/list", {})
    const refused = yield* ask({ method: "POST", url: server.url, headers, body: JSON.stringify(body) })
    const challenge = readChallenge(refused.status === 401 ? refused.challenge : undefined)
    const described = yield* resourceOf(server, ask, challenge.metadataUrl)
    const issuer = described === undefined ? new URL(server.url).origin : described.issuer
    if (described !== undefined && !isOwnIssuer(server, issuer)) return yield* otherIssuer
    const found = yield* metadataOf(issuer, ask, described !== undefined)
    const signIn = yield* readMetadata(found, server)
    if (!isOwnIssuer(server, signIn.issuer)) return yield* otherIssuer
    const named = challenge.scopes.length > 0 ? challenge.scopes : (described?.scopes ?? [])
    const offline = textsAt(found, "scopes_supported").filter((scope) => scope === "offline_access")
    return {
      ...signIn,
      resource: described?.resource ?? canonical(server.url),
      scopes: together(server.scopes ?? named, server.scopes === undefined ? offline : [])
    }
  })

/** True for an issuer at which people may sign in, and that may see the gateway's secret for the server. */
export const isOwnIssuer = (server: Pick<PersonServer, "issuer">, issuer: string): boolean =>
  server.issuer === undefined || server.issuer === issuer

/** A server's address as a resource: without a fragment. */
const canonical = (url: string): string => {
  const resource = new URL(url)
  resource.hash = ""
  return resource.pathname === "/" && resource.search === "" ? resource.origin : resource.href
}

const textsAt = (value: unknown, key: string): ReadonlyArray<string> =>
  listAt(value, key).filter((one) => typeof one === "string")

/** A server in its own words; undefined if it has none. */
const resourceOf = (server: PersonServer, ask: Ask, told: string | undefined) =>
  Effect.gen(function* () {
    const { origin, pathname } = new URL(server.url)
    const path = "/.well-known/oauth-protected-resource"
    const places = told === undefined ? [`${origin}${path}${pathname === "/" ? "" : pathname}`, origin + path] : [told]
    for (const url of new Set(places)) {
      const { body, status } = yield* ask({ method: "GET", url })
      if (status !== 200 || !isObject(body)) continue
      const resource = textAt(body, "resource")
      if (resource === undefined || !covers(resource, server.url))
        return yield* wrong("it describes another resource than itself")
      const issuers = textsAt(body, "authorization_servers")
      const issuer = issuers.find((one) => one === server.issuer) ?? issuers[0]
      if (issuer === undefined) return yield* wrong("it names no authorization server")
      return { resource, issuer, scopes: textsAt(body, "scopes_supported").flatMap(wordsOf) }
    }
    return told === undefined ? undefined : yield* wrong("its metadata can't be read")
  })

/** True for the server's own address, or one above it. */
const covers = (resource: string, url: string): boolean => {
  const [above, own] = [URL.parse(resource), new URL(url)]
  if (above === null || above.origin !== own.origin || (above.search !== "" && above.search !== own.search))
    return false
  const start = above.pathname.replace(/\/$/, "")
  return own.pathname === above.pathname || own.pathname.startsWith(`${start}/`) || own.pathname === start
}

/** @param isNamed true if the server names the issuer, which then has to name itself the same */
const metadataOf = (issuer: string, ask: Ask, isNamed: boolean): Effect.Effect<JsonObject, ConnectFailed> =>
  Effect.gen(function* () {
    const parsed = URL.parse(issuer)
    if (parsed === null || parsed.search !== "" || parsed.hash !== "") return yield* wrong("its issuer is no address")
    const { origin, pathname } = parsed
    const path = pathname.replace(/\/$/, "")
    const [oauth, openid] = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]
    const places =
      path === ""
        ? [origin + oauth, origin + openid]
        : [origin + oauth + path, origin + openid + path, origin + path + openid]
    for (const url of places) {
      const { body, status } = yield* ask({ method: "GET", url })
      if (status !== 200 || !isObject(body)) continue
      const named = textAt(body, "issuer") ?? ""
      if (isNamed ? named !== issuer : URL.parse(named)?.origin !== origin) {
        return yield* wrong("its sign-in's metadata is of another issuer")
      }
      return body
    }
    return yield* wrong("its sign-in has no metadata")
  })

const readMetadata = (
  found: JsonObject,
  server: PersonServer
): Effect.Effect<Omit<ServerSignIn, "resource" | "scopes">, ConnectFailed> => {
  const authorizationEndpoint = textAt(found, "authorization_endpoint")
  const tokenEndpoint = textAt(found, "token_endpoint")
  if (authorizationEndpoint === undefined || tokenEndpoint === undefined) return wrong("its sign-in has no code flow")
  if (!isSafe(authorizationEndpoint, server) || !isSafe(tokenEndpoint, server)) {
    return wrong("its sign-in names an address without TLS")
  }
  if (!textsAt(found, "code_challenge_methods_supported").includes("S256")) {
    return wrong("its sign-in does not say that it knows PKCE (S256)")
  }
  return Effect.succeed({
    issuer: textAt(found, "issuer") ?? "",
    authorizationEndpoint,
    tokenEndpoint,
    registrationEndpoint: textAt(found, "registration_endpoint"),
    namesIssuer: found["authorization_response_iss_parameter_supported"] === true,
    takesDocuments: found["client_id_metadata_document_supported"] === true,
    authMethods: textsAt(found, "token_endpoint_auth_methods_supported")
  })
}

const otherIssuer: Effect.Effect<never, ConnectFailed> = Effect.suspend(() =>
  wrong("it names another authorization server than the configured one (issuer)")
)

const wrong = (message: string): Effect.Effect<never, ConnectFailed> => new ConnectFailed({ message })

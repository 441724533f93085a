import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Option, Redacted, Schema } from "effect"
import { textAt } from "../../contract/json/json.ts"
import type { PersonServer } from "../../mcp/PersonGrants.ts"
import type { Ask } from "./ask.ts"
import { ConnectFailed } from "./ConnectFailed.ts"
import type { ServerSignIn } from "./discover.ts"
import type { ToolClients } from "./store/ToolClients.ts"
import { ToolClient } from "./tokenRequest.ts"

interface Seal {
  readonly seal: (text: string, about: string) => string
  readonly open: (sealed: string, about: string) => string | undefined
}

const Registered = Schema.parseJson(Schema.Struct({ client: ToolClient, redirect: Schema.String }))
const read = Schema.decodeUnknownOption(Registered)
const write = Schema.encodeSync(Registered)

/** The ways to show who one is, the best first. */
const methods = ["client_secret_basic", "client_secret_post", "none"] as const

/**
 * The gateway as a server's sign-in knows it: as configured, by the address of its document, or registered there once. A
 * registration counts for its issuer alone: another one never sees its secret.
 */
export const clientAt = (
  signIn: ServerSignIn,
  {
    ask,
    clients,
    publicUrl,
    seal,
    server
  }: {
    readonly ask: Ask
    readonly clients: Pick<ToolClients, "find" | "put">
    readonly publicUrl: string
    readonly seal: Seal
    readonly server: PersonServer
  }
): Effect.Effect<ToolClient, ConnectFailed | SqlError> =>
  Effect.gen(function* () {
    const { authMethods, issuer, registrationEndpoint, takesDocuments } = signIn
    const redirect = callbackOf(publicUrl)
    if (server.clientId !== undefined) {
      return server.clientSecret === undefined
        ? { id: server.clientId, method: "none" as const }
        : { id: server.clientId, secret: Redacted.value(server.clientSecret), method: secretMethod(authMethods) }
    }
    if (takesDocuments && publicUrl.startsWith("https:")) return { id: documentOf(publicUrl), method: "none" as const }
    const about = `client/${issuer}`
    const stored = yield* clients.find(issuer)
    const known = Option.getOrUndefined(read(stored === undefined ? undefined : seal.open(stored, about)))
    if (known?.redirect === redirect) return known.client
    if (registrationEndpoint === undefined) return yield* noWay
    const client = yield* register(ask, registrationEndpoint, clientDocument(publicUrl, methodOf(authMethods)))
    yield* clients.put(issuer, seal.seal(write({ client, redirect }), about))
    return client
  })

export const callbackOf = (publicUrl: string): string => `${publicUrl}/oauth/mcp/callback`
const documentOf = (publicUrl: string): string => `${publicUrl}/oauth/mcp/client.json`

/** The gateway as it describes itself (RFC 7591). */
const clientDocument = (publicUrl: string, method: ToolClient["method"]) => ({
  client_name: "Model Gateway",
  client_uri: publicUrl,
  redirect_uris: [callbackOf(publicUrl)],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  application_type: publicUrl.startsWith("https:") ? "web" : "native",
  token_endpoint_auth_method: method
})

/** The same with its address for an id (client-id metadata documents). */
export const ownDocument = (publicUrl: string) => ({
  client_id: documentOf(publicUrl),
  ...clientDocument(publicUrl, "none")
})

const methodOf = (supported: ReadonlyArray<string>): ToolClient["method"] =>
  methods.find((method) => supported.includes(method)) ?? "client_secret_basic"

const secretMethod = (supported: ReadonlyArray<string>): ToolClient["method"] =>
  supported.includes("client_secret_post") && !supported.includes("client_secret_basic")
    ? "client_secret_post"
    : "client_secret_basic"

const register = (ask: Ask, url: string, document: object): Effect.Effect<ToolClient, ConnectFailed> =>
  Effect.flatMap(
    ask({ method: "POST", url, headers: { "content-type": "application/json" }, body: JSON.stringify(document) }),
    ({ body, status }) => {
      const id = textAt(body, "client_id")
      if ((status !== 200 && status !== 201) || id === undefined || id.length > 2_000) return noRegistration
      const secret = textAt(body, "client_secret")
      const told = textAt(body, "token_endpoint_auth_method")
      if (secret === undefined || told === "none") return Effect.succeed<ToolClient>({ id, method: "none" })
      const method = told === "client_secret_post" ? told : "client_secret_basic"
      return Effect.succeed<ToolClient>({ id, secret, method })
    }
  )

const noRegistration = new ConnectFailed({ message: "its sign-in does not let the gateway register itself" })
const noWay = new ConnectFailed({
  message: "its sign-in knows no way to register: the operator registers the gateway there, and sets client_id"
})

import { Schema } from "effect"
import { optionalField, requiredField } from "./fields.ts"
import { ProxySetting } from "./Proxy.ts"
import { ClientTls } from "./Upstream.ts"
import { HeaderSecret, HttpUrl, Text, Usd } from "./values.ts"

/** The address of the built-in server. */
export const sandboxAddress = "sandbox"

/** `__` is between the names of a server and its tool: which server is meant depends on no other server. */
const isServerName = (name: string): boolean =>
  name.length <= 32 && /^[a-z0-9](?:_?[a-z0-9-])*$/.test(name) && name !== "own"
const serverNames =
  "expected a name of at most 32 lower-case letters, digits, - and single _ between them, other than own"

const isOwnHeader = (name: string): boolean =>
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name) &&
  !/^(?:mcp-.*|accept|authorization|connection|content-.*|cookie|host|te|trailer|transfer-encoding|upgrade)$/i.test(
    name
  )
const headerNames = "expected the name of a header that the protocol and `api_key` don't set"

/** A record, all of whose names are allowed. */
const namedBy = <A, I, R>(value: Schema.Schema<A, I, R>, isName: (name: string) => boolean, message: string) =>
  Schema.Record({ key: Schema.String, value }).pipe(
    Schema.filter((record) => {
      const wrong = Object.keys(record).find((name) => !isName(name))
      return wrong === undefined || { path: [wrong], message }
    })
  )

const seconds = (most: number) => Schema.Number.pipe(Schema.between(1, most))

/** An entry of `mcp.servers`. */
export const McpServer = Schema.Struct({
  url: requiredField(
    Schema.Union(Schema.Literal(sandboxAddress), HttpUrl),
    "Its address, which may be private; `sandbox` for the built-in server, with a clock, dice, an echo, a slow and a failing tool."
  ),
  auth: optionalField(
    Schema.Literal("none", "key", "caller", "person"),
    "Whose account it sees: `key`, the operator's, by `api_key`; `caller`, that of the caller, who sends a token for it with each request ([callers' tokens](tools.md#callers-tokens)); `person`, the one that each person connects ([people's accounts](tools.md#peoples-accounts)); or `none`.",
    "`key` with `api_key`, otherwise `none`"
  ),
  api_key: optionalField(HeaderSecret, "Sent as `Authorization: Bearer …`, for `auth: key`.", "no key"),
  client_id: optionalField(
    Text,
    "For `auth: person`: the gateway's registration at the server's sign-in.",
    "it registers itself"
  ),
  client_secret: optionalField(HeaderSecret, "The secret of `client_id`, if it has one; needs `issuer`.", "none"),
  issuer: optionalField(
    HttpUrl,
    "For `auth: person`: the only authorization server that the server may name, as its metadata has it.",
    "the one that the server names"
  ),
  scopes: optionalField(
    Schema.NonEmptyArray(Text),
    "For `auth: person`: what a person is asked to grant.",
    "what the server names"
  ),
  headers: optionalField(namedBy(HeaderSecret, isOwnHeader, headerNames), "Headers of every request to it."),
  description: optionalField(Text, "What it is for, told to clients of `/mcp/<server>`.", "nothing"),
  tools: optionalField(
    Schema.NonEmptyArray(Text),
    "Patterns of its tools that are offered (`search*`): others don't exist here.",
    "all"
  ),
  not_tools: optionalField(
    Schema.Array(Text),
    "Patterns of its tools that are not, even if `tools` matches them.",
    "none"
  ),
  read_only: optionalField(
    Schema.Boolean,
    "`true`: only tools that it calls read-only (`readOnlyHint`) are offered.",
    "`false`"
  ),
  trusted: optionalField(
    Schema.Boolean,
    "`true`: what it says of its tools is believed: one that is read-only or idempotent (`readOnlyHint`, `idempotentHint`) may be called again if the gateway ended in the middle of a call.",
    "`false`"
  ),
  price_per_call: optionalField(
    Schema.Union(Usd, Schema.Record({ key: Text, value: Usd })),
    'Dollars that a call costs its caller, once it has left for the server: a number, or numbers by patterns of its tools (`{ search: 0, "*": 0.01 }`), of which the longest counts.',
    "`0`"
  ),
  call_seconds: optionalField(seconds(600), "The most time of a call.", "`60`"),
  list_seconds: optionalField(
    Schema.Number.pipe(Schema.between(0, 3_600)),
    "How long its list is kept if it names no time itself.",
    "`60`"
  ),
  proxy: optionalField(ProxySetting, "Like an upstream's ([proxies](#proxies)).", "the top level's"),
  tls: optionalField(ClientTls, "Like an upstream's.", "the usual authorities, no certificate")
}).pipe(
  Schema.filter(({ api_key, auth, client_id, client_secret, issuer, scopes, url }) => {
    const personal = Object.entries({ client_id, client_secret, issuer, scopes }).find(
      ([, value]) => value !== undefined
    )
    if (auth !== "person" && personal !== undefined) return { path: [personal[0]], message: "is for auth: person" }
    if (client_secret !== undefined && client_id === undefined) {
      return { path: ["client_secret"], message: "is for a client_id" }
    }
    // The server could name a sign-in of its own, and read the secret there.
    if (client_secret !== undefined && issuer === undefined) {
      return { path: ["client_secret"], message: "needs issuer, the authorization server that may see it" }
    }
    if (auth === "person" && url === sandboxAddress) return { path: ["auth"], message: "the sandbox has no sign-in" }
    if (auth === "key" && api_key === undefined) return { path: ["api_key"], message: "is required for auth: key" }
    return api_key === undefined || auth === undefined || auth === "key"
      ? true
      : { path: ["api_key"], message: "is for auth: key" }
  })
)

/** `mcp`: MCP servers whose tools callers may use. */
export const Mcp = Schema.Struct({
  servers: optionalField(
    namedBy(McpServer, isServerName, serverNames),
    "MCP servers by a name of your choice: [fields](#mcp-servers).",
    "`sandbox-tools`, the built-in server, alone"
  ),
  own_servers: optionalField(
    Schema.Literal("on", "off"),
    "`off`: requests that name a server by its address are refused where the gateway would call it.",
    "`on`"
  )
})

export type McpEntry = typeof McpServer.Type

import { Effect } from "effect"
import { expect, it } from "@effect/vitest"
import { sendTo } from "../../../src/mcp/sendTo.ts"
import { clientAt, ownDocument } from "../../../src/people/tools/clientAt.ts"
import type { ServerSignIn } from "../../../src/people/tools/discover.ts"

const signIn: ServerSignIn = {
  issuer: "https://login.test",
  authorizationEndpoint: "https://login.test/authorize",
  tokenEndpoint: "https://login.test/token",
  registrationEndpoint: "https://login.test/register",
  namesIssuer: true,
  takesDocuments: true,
  authMethods: ["client_secret_post", "none"],
  resource: "https://jira.test/mcp",
  scopes: []
}
const server = {
  name: "jira",
  url: "https://jira.test/mcp",
  send: sendTo({}),
  clientId: undefined,
  clientSecret: undefined,
  issuer: undefined,
  scopes: undefined
}

const stored = new Map<string, string>()
const clients = {
  find: (issuer: string) => Effect.succeed(stored.get(issuer)),
  put: (issuer: string, sealed: string) => Effect.sync(() => stored.set(issuer, sealed))
}
const registrations: Array<unknown> = []
const at = (publicUrl: string, changes: Partial<ServerSignIn> = {}) =>
  clientAt(
    { ...signIn, ...changes },
    {
      ask: ({ body, url }) => {
        registrations.push([url, JSON.parse(body ?? "")])
        const answer = { client_id: `client-${registrations.length}`, client_secret: "s" }
        return Effect.succeed({
          status: 201,
          body: { ...answer, token_endpoint_auth_method: "client_secret_post" },
          challenge: undefined
        })
      },
      clients,
      publicUrl,
      seal: { seal: (text, about) => `${about} ${text}`, open: (text, about) => text.slice(about.length + 1) },
      server
    }
  )

it.effect("is known by the address of its document where the sign-in takes such and can read it", () =>
  Effect.gen(function* () {
    const id = "https://gateway.test/gw/oauth/mcp/client.json"
    expect(yield* at("https://gateway.test/gw")).toEqual({ id, method: "none" })
    expect(ownDocument("https://gateway.test/gw")).toMatchObject({
      client_id: id,
      redirect_uris: ["https://gateway.test/gw/oauth/mcp/callback"],
      application_type: "web",
      token_endpoint_auth_method: "none"
    })
    expect(registrations).toEqual([])
  })
)

it.effect("registers once for an issuer and an address of its own", () =>
  Effect.gen(function* () {
    const first = yield* at("http://127.0.0.1:1")
    expect(first).toEqual({ id: "client-1", secret: "s", method: "client_secret_post" })
    expect(yield* at("http://127.0.0.1:1")).toEqual(first)
    expect(yield* at("http://127.0.0.1:1", { issuer: "https://other.test" })).toMatchObject({ id: "client-2" })
    expect(yield* at("http://127.0.0.1:2")).toMatchObject({ id: "client-3" })
    expect(registrations).toHaveLength(3)
    const failed = yield* Effect.flip(at("http://127.0.0.1:3", { registrationEndpoint: undefined }))
    expect(String(failed)).toContain("client_id")
  })
)

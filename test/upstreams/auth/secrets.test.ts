import { afterAll, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { makeAuth } from "../../../src/upstreams/auth/makeAuth.ts"
import { generated } from "../generated.ts"
import { asking, at, how } from "../runningUpstream.ts"

/** Refuses each call with what it was signed with, as AWS writes the canonical request into its refusals. */
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ headers, url }) => {
    const token = headers.get("x-amz-security-token") ?? headers.get("authorization")?.replace("Bearer ", "")
    if (url.endsWith("/tenant/oauth2/v2.0/token")) {
      return Response.json({ access_token: "planted-token-of-entra", expires_in: 3_600 })
    }
    const message = `The signature does not match. The Canonical String should have been: x-amz-security-token:${token}`
    return Response.json({ error: { message } }, { status: headers.get("x-refuse") === "input" ? 400 : 403 })
  }
})
const url = `http://127.0.0.1:${server.port}`
process.env["AZURE_AUTHORITY_HOST"] = url
afterAll(() => {
  delete process.env["AZURE_AUTHORITY_HOST"]
  return server.stop(true)
})

const aws = {
  kind: "aws",
  access_key_id: Redacted.make("AKIAFIXED0000000001"),
  secret_access_key: Redacted.make("planted-secret-key"),
  session_token: Redacted.make("planted-session-token")
} as const
const azure = { kind: "azure", tenant_id: "tenant", client_id: "client", client_secret: Redacted.make("s") } as const

it.effect.each([
  { kind: "aws", setting: aws },
  { kind: "azure", setting: azure }
])("an upstream's words are told without the credentials of $kind", ({ setting }) =>
  Effect.gen(function* () {
    const auth = yield* makeAuth({ auth: setting, region: undefined, baseUrl: `${url}/v1`, proxy: undefined })
    const refusedAs = (headers: Readonly<Record<string, string>>) =>
      Effect.flip(generated(at("openai-chat", url, { apiKey: undefined, auth, headers }), asking("Hi"), how(false)))
    for (const what of ["key", "input"]) {
      const error = JSON.stringify(yield* refusedAs({ "x-refuse": what }))
      expect(error).toContain("x-amz-security-token:[…]")
      expect(error).not.toContain("planted")
    }
  })
)

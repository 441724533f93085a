import { createHmac, timingSafeEqual } from "node:crypto"
import { expect, test } from "bun:test"
import { Effect } from "effect"
import { Access, AccessLog, AuthInvalid, Caller, Gateway, Settings } from "model-gateway"

const secret = "shared with the issuer"
const sign = (text: string) => createHmac("sha256", secret).update(text).digest()

/** The subject of an HS256 token that the issuer signed. */
const verify = (header: string | null) =>
  Effect.try({
    try: () => {
      const [head = "", claims = "", signature = ""] = header?.replace(/^Bearer /, "").split(".") ?? []
      if (!timingSafeEqual(sign(`${head}.${claims}`), Buffer.from(signature, "base64url"))) throw new Error("forged")
      return String(JSON.parse(Buffer.from(claims, "base64url").toString()).sub)
    },
    catch: () => new AuthInvalid({ message: "Invalid token" })
  })

const gateway = Gateway.layer({
  settings: Settings.from({ GATEWAY_DATABASE_URL: "sqlite::memory:", GATEWAY_PORT: "0" }),
  access: Access.Test({
    authenticate: (headers) => Effect.map(verify(headers.get("authorization")), (team) => Caller.unrestricted(team))
  }),
  accessLog: AccessLog.Off
})

const body = JSON.stringify({ model: "sandbox-text", max_tokens: 50, messages: "Hello!" })
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")

test("a token of the issuer opens the gateway, and another does not", () =>
  Effect.gen(function* () {
    const { url } = yield* Gateway.Address
    const ask = (authorization: string) =>
      Effect.promise(() => fetch(new URL("/v1/messages", url), { method: "POST", headers: { authorization }, body }))
    const token = `${encode({ alg: "HS256" })}.${encode({ sub: "team-a" })}`
    expect((yield* ask(`Bearer ${token}.${sign(token).toString("base64url")}`)).status).toBe(200)
    expect((yield* ask(`Bearer ${token}.${"A".repeat(43)}`)).status).toBe(401)
  }).pipe(Effect.provide(gateway), Effect.runPromise))

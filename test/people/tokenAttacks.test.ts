import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { exportSPKI, importJWK } from "jose"
import type { JWTPayload } from "jose"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { confused, unsigned } from "./forger.ts"
import { audience, away, startIssuer } from "./tokenIssuer.ts"
import type { TokenIssuer } from "./tokenIssuer.ts"

let gateway: GatewayHere
let issuer: TokenIssuer
let other: TokenIssuer
let lost: TokenIssuer
let stranger: TokenIssuer

beforeAll(async () => {
  ;[issuer, other, lost, stranger] = await Promise.all([startIssuer(), startIssuer(), startIssuer(), startIssuer()])
  lost.answers(away)
  const folder = mkdtempSync(join(tmpdir(), "gateway-tokens-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `sign_in:
  jwt:
    - { issuer: "${issuer.issuer}", audience: ${audience}, account: team-a }
    - { issuer: "${other.issuer}", jwks_uri: "${other.issuer}/jwks", audience: ${audience}, account: team-b }
    - { issuer: "${lost.issuer}", audience: ${audience}, account: team-c }
`
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all([issuer, other, lost, stranger].map((one) => one.stop()))
})

const send = async (token: string) => {
  const answer = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${token}` } })
  return { status: answer.status, text: await answer.text() }
}

const isOpened = async (token: string) => expect((await send(token)).status).toBe(200)

const isRefused = async (token: string, why: string) => {
  const { status, text } = await send(token)
  expect([status, text]).toEqual([401, expect.stringContaining(why)])
  expect(text).not.toMatch(/eyJ|\.ts\b|jwks|localhost|ERR_/)
}

const wrongSignature = "the signature of this token is wrong"
const wrongAlgorithm = "signed by an algorithm that is not allowed"
const noKey = "publishes no key that this token is signed with"
const wrongAudience = "for another audience"
const unknownIssuer = "the issuer of this token is not known here"
const noAccessToken = "this is no access token"

const spki = async () => {
  const key = await importJWK(issuer.first.jwk, "RS256")
  return key instanceof Uint8Array ? key : new TextEncoder().encode(await exportSPKI(key))
}

const changed = async (change: JWTPayload) => {
  const [head, , signature] = (await issuer.token()).split(".")
  const payload = Buffer.from(JSON.stringify(issuer.claims(change))).toString("base64url")
  return `${head}.${payload}.${signature}`
}

describe("a token", () => {
  it("of an issuer opens its account, by discovery and by a given address", async () => {
    await isOpened(await issuer.token())
    await isOpened(await other.token())
    await isOpened(await issuer.token({}, { typ: "at+jwt" }))
    await isOpened(await issuer.token({}, { typ: "application/at+jwt" }))
    await isOpened(await issuer.token({ aud: [audience, "another"] }))
    await isOpened(await issuer.token({ nbf: issuer.now() + 30 }))
    await isOpened(await issuer.token({ exp: issuer.now() - 30 }))
    await isOpened(await issuer.token({}, { kid: undefined }))
  })

  it.each<[string, () => Promise<string> | string, string]>([
    ["without a signature", () => unsigned(issuer.claims()), wrongAlgorithm],
    ["signed with the public key as a password", () => confused(issuer.claims(), issuer.first.jwk), wrongAlgorithm],
    [
      "signed with the key's file as a password",
      async () => issuer.token({}, { alg: "HS256" }, await spki()),
      wrongAlgorithm
    ],
    ["with its signature cut off", async () => (await issuer.token()).replace(/[^.]+$/, ""), wrongSignature],
    ["with a byte less", async () => (await issuer.token()).slice(0, -8), wrongSignature],
    ["that was changed", () => changed({ sub: "root" }), wrongSignature],
    [
      "signed with a stranger's key of the same name",
      () => issuer.token({}, {}, stranger.first.privateKey),
      wrongSignature
    ],
    ["signed with another issuer's key", () => issuer.token({}, {}, other.first.privateKey), wrongSignature],
    [
      "with its own key in it",
      () => issuer.token({}, { jwk: stranger.first.jwk }, stranger.first.privateKey),
      wrongSignature
    ],
    [
      "that names another set of keys",
      () => issuer.token({}, { jku: `${stranger.issuer}/jwks` }, stranger.first.privateKey),
      wrongSignature
    ],
    [
      "that names a certificate",
      () => issuer.token({}, { x5u: `${stranger.issuer}/x5u`, x5c: ["MIIB"] }, stranger.first.privateKey),
      wrongSignature
    ],
    [
      "of another algorithm than its key's",
      async () => issuer.token({}, { alg: "PS256" }, await issuer.first.keyFor("PS256")),
      noKey
    ],
    ["of the other key's algorithm", () => issuer.token({}, { alg: "ES256" }, issuer.second.privateKey), noKey],
    ["whose key is a path", () => issuer.token({}, { kid: "../../../../dev/null" }), noKey],
    ["whose key is a query", () => issuer.token({}, { kid: "' OR '1'='1" }), noKey],
    [
      "with a rule of its own",
      () => issuer.token({}, { crit: ["x"], x: 1 }, issuer.first.privateKey, { crit: { x: true } }),
      "this token can't be read"
    ],
    ["for another audience", () => issuer.token({ aud: "another" }), wrongAudience],
    ["for several others", () => issuer.token({ aud: ["another", `${audience}-2`] }), wrongAudience],
    ["for the audience in capital letters", () => issuer.token({ aud: audience.toUpperCase() }), wrongAudience],
    ["for no audience", () => issuer.token({ aud: undefined }), wrongAudience],
    ["of the issuer with a slash", () => issuer.token({ iss: `${issuer.issuer}/` }), unknownIssuer],
    ["of an unknown issuer", () => stranger.token(), unknownIssuer],
    ["of no issuer", () => issuer.token({ iss: undefined }), unknownIssuer],
    ["that says it is another issuer's", () => issuer.token({ iss: other.issuer }), wrongSignature],
    ["that has expired", () => issuer.token({ exp: issuer.now() - 90 }), "this token has expired"],
    ["that never expires", () => issuer.token({ exp: undefined }), "this token has no end"],
    ["that is not valid yet", () => issuer.token({ nbf: issuer.now() + 90 }), "this token is not valid yet"],
    ["that is an ID token", () => issuer.token({ nonce: "n" }), "this is an ID token"],
    [
      "that signs out",
      () => issuer.token({ events: { "http://schemas.openid.net/event/backchannel-logout": {} } }),
      noAccessToken
    ],
    ["of another kind", () => issuer.token({}, { typ: "logout+jwt" }), noAccessToken],
    ["of a kind that only ends so", () => issuer.token({}, { typ: "not-a-jwt" }), noAccessToken],
    ["that needs a proof", () => issuer.token({ cnf: { jkt: "thumb" } }), "bound to a key of its client"],
    ["of nine thousand characters", () => issuer.token({ groups: "g".repeat(6_500) }), "longer than 8192 characters"]
  ])("%s is refused", async (_, token, why) => isRefused(await token(), why))

  it.each([
    ["two dots", "a.b.c"],
    ["empty parts", ".."],
    ["a header alone", `${Buffer.from("{}").toString("base64url")}..`],
    ["a deep header", `${Buffer.from("[".repeat(3_000)).toString("base64url")}.e30.x`]
  ])("that is but %s is an unknown key", async (_, text) => isRefused(text, "unknown key"))

  it("that begins as a generated key is looked up as one", async () => {
    await isRefused(`gw_${await issuer.token()}`, "mistyped")
  })

  it("makes the gateway ask nobody but its issuer, and its issuer no more for unknown keys", async () => {
    expect(stranger.fetches).toEqual([])
    const before = issuer.fetches.length
    for (let tries = 0; tries < 30; tries++) await isRefused(await issuer.token({}, { kid: `guess-${tries}` }), noKey)
    // Once in 30 s at most.
    expect(issuer.fetches.length - before).toBeLessThanOrEqual(1)
    expect(issuer.fetches.filter((path) => path !== "/jwks")).toEqual(["/.well-known/openid-configuration"])
    expect(new Set(other.fetches)).toEqual(new Set(["/jwks"]))
  })
})

describe("an issuer that is away", () => {
  it("is a 503, asked once in ten seconds, and no one else's matter", async () => {
    const tokens = await Promise.all(Array.from({ length: 30 }, (_, index) => lost.token({ sub: `s${index}` })))
    const answers = await Promise.all(tokens.map(send))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
    expect(answers[0]?.text).toContain("The issuer of this token does not answer")
    expect(lost.fetches).toEqual(["/.well-known/openid-configuration"])
    await isOpened(await issuer.token({ sub: "bob" }))
    await isOpened(gateway.key)
    expect(gateway.output()).toContain("sign_in.provider_failed")
  })
})

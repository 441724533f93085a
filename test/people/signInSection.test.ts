import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCommand } from "../e2e/command.ts"
import { away, startIssuer } from "./tokenIssuer.ts"
import type { TokenIssuer } from "./tokenIssuer.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-section-"))
let issuer: TokenIssuer

beforeAll(async () => {
  issuer = await startIssuer()
})
afterAll(async () => {
  await issuer.stop()
  rmSync(folder, { recursive: true })
})

const check = (yaml: string, ...more: ReadonlyArray<string>) => {
  writeFileSync(join(folder, "gateway.yaml"), yaml)
  return runCommand(folder, ["check", ...more], {})
}

const entry = "{ issuer: https://login.corp.test, audience: model-gateway, account: team-a }"

describe("sign_in", () => {
  it("takes issuers of tokens alone, without a public address", async () => {
    expect((await check(`sign_in: { jwt: [${entry}] }\n`)).code).toBe(0)
    const byAudience = entry.replace("model-gateway", "machines")
    expect((await check(`sign_in: { jwt: [${entry}, ${byAudience}] }\n`)).code).toBe(0)
  })

  it.each([
    ["sign_in: {}", "sign_in: expected oidc, for people, or jwt, for programs"],
    ["sign_in: { roles: [] }", "sign_in: expected oidc, for people, or jwt, for programs"],
    [`sign_in: { jwt: [${entry}], roles: [] }`, "sign_in: roles are for people, and need oidc"],
    [
      "sign_in: { oidc: [{ issuer: https://login.corp.test, client_id: a, client_secret: b }] }",
      "sign_in: oidc needs roles, which say who may sign in"
    ],
    [`sign_in: { jwt: [${entry}, ${entry}] }`, "sign_in.jwt: two entries have one issuer and one audience"],
    [
      `sign_in: { jwt: [${entry.replace("https", "http")}] }`,
      "sign_in.jwt[0].issuer: expected the issuer's https:// address"
    ],
    [
      `sign_in: { jwt: [${entry.replace("audience", "jwks_uri: http://login.corp.test/keys, audience")}] }`,
      "sign_in.jwt[0].jwks_uri: expected an https:// address"
    ],
    [`sign_in: { jwt: [${entry.replace("audience: model-gateway, ", "")}] }`, "sign_in.jwt[0].audience"],
    [`sign_in: { jwt: [${entry.replace("team-a", "{ claim: team }")}] }`, "sign_in.jwt[0].account"]
  ])("%s is an error that names its line", async (yaml, message) => {
    const { code, err } = await check(`log: {}\n${yaml}\n`)
    expect([code, err]).toEqual([1, expect.stringContaining(message)])
    expect(err).toContain("gateway.yaml:2: ")
  })

  it("is checked live: an issuer is asked for its keys", async () => {
    const yaml = `sign_in: { jwt: [{ issuer: "${issuer.issuer}", audience: model-gateway, account: team-a }] }\n`
    issuer.publishes([issuer.first.jwk], { id_token_signing_alg_values_supported: ["RS256", "HS256", "ES256"] })
    const { code, out } = await check(yaml, "--live")
    expect(code).toBe(0)
    expect(out).toContain(`sign_in.jwt: ${issuer.issuer} publishes 1 key at ${issuer.issuer}/jwks\n`)
    expect(out).toContain("  its tokens may be signed by RS256, ES256\n")
    issuer.answers(away)
    const failed = await check(yaml, "--live")
    expect([failed.code, failed.err]).toEqual([1, "gateway: 1 problem\n"])
    expect(failed.out).toContain(
      `sign_in: ${issuer.issuer} can't be asked: /.well-known/openid-configuration answers 503`
    )
  })
})

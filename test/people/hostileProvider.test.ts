import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { JWTPayload } from "jose"
import { afterAll, beforeAll, expect, it } from "vitest"
import { anyAddress } from "../console/browser.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { startForger } from "./forger.ts"
import type { Forger } from "./forger.ts"
import { Visitor } from "./visitor.ts"

describeOnEach("a provider with odd answers", (engine) => {
  let provider: Forger
  let gateway: GatewayHere

  beforeAll(async () => {
    provider = await startForger()
    const folder = mkdtempSync(join(tmpdir(), "gateway-hostile-"))
    writeFileSync(
      join(folder, "gateway.yaml"),
      `server: { trusted_proxies: [127.0.0.0/8, "::1"] }
accounts:
  team-a: {}
  team-b: {}
sign_in:
  oidc: [{ issuer: "${provider.issuer}", client_id: gateway, client_secret: secret-of-tests }]
  roles:
    - { domain: corp.test, role: operator }
    - { group: audit, role: auditor }
    - { group: team-*, role: member, accounts: ["{group}"] }
`
    )
    gateway = await startGateway({ folder, env: await gatewayEnv(`hostile-${engine.name}`) })
  })
  afterAll(async () => {
    await gateway.dispose()
    await provider.stop()
  })

  const signIn = async (change: JWTPayload) => {
    const visitor = new Visitor()
    const headers = { "x-forwarded-for": anyAddress() }
    const begun = await visitor.send(`${gateway.url}/sign-in`, { headers })
    const location = begun.headers.get("location") ?? ""
    provider.asked(location)
    provider.answers((claims) => provider.sign({ ...claims, email: undefined, groups: [], ...change }))
    const state = new URL(location).searchParams.get("state") ?? ""
    const answer = await visitor.send(`${gateway.url}/sign-in/callback?${new URLSearchParams({ code: "c", state })}`, {
      headers,
      isForeign: true
    })
    return { visitor, answer }
  }

  it("gives no role by an address that ends elsewhere", async () => {
    const own = "@corp.test"
    const long = `${"a".repeat(256 - own.length)}${own}`
    expect((await signIn({ sub: "long", email: long })).answer.status).toBe(303)
    const { answer } = await signIn({ sub: "longer", email: `${long}.evil.test` })
    expect(answer.status).toBe(403)
  })

  it("writes nothing into rows and terminals that they obey", async () => {
    const change = { sub: "odd", name: "An\u0000n \u001b[2J\u202e", groups: ["team-a", "team-b\u0000", "team-\u001b"] }
    const { answer, visitor } = await signIn(change)
    expect(answer.status).toBe(303)
    expect(await visitor.session(gateway.url)).toMatchObject({ signed_in: true, accounts: ["team-a"] })
    for (const sub of ["a\u0000b", "a\u001b[2J", "a".repeat(256), "a".repeat(100_000)]) {
      const refused = await signIn({ sub, groups: ["team-a"] })
      expect([sub.length, refused.answer.status]).toEqual([sub.length, 502])
    }
  })

  /** The status by a new key of a person's. */
  const newKey = async (visitor: Visitor, account: string) => {
    const made = await visitor.send(`${gateway.url}/admin/v1/keys`, {
      method: "POST",
      headers: { "x-gateway-csrf": (await visitor.session(gateway.url)).csrf },
      body: JSON.stringify({ account, name: "own" })
    })
    const { secret } = await made.json()
    return async () =>
      (await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } })).status
  }

  it("that moves a person by a new sign-in alone ends the keys of where they were", async () => {
    const { visitor } = await signIn({ sub: "mover", groups: ["team-a"] })
    const status = await newKey(visitor, "team-a")
    expect(await status()).toBe(200)
    expect((await signIn({ sub: "mover", groups: ["team-a", "team-b"] })).answer.status).toBe(303)
    expect(await status()).toBe(200)
    expect((await signIn({ sub: "mover", groups: ["team-b"] })).answer.status).toBe(303)
    expect(await status()).toBe(401)
  })

  it("that makes a person an auditor ends their keys: auditors spend nothing", async () => {
    const { visitor } = await signIn({ sub: "promoted", groups: ["team-a"] })
    const status = await newKey(visitor, "team-a")
    expect(await status()).toBe(200)
    expect((await signIn({ sub: "promoted", groups: ["team-a", "audit"] })).answer.status).toBe(303)
    expect(await status()).toBe(401)
  })

  it("that answers without end is given up, and costs no memory", async () => {
    let sent = 0
    const chunk = new Uint8Array(64 * 1024).fill(32)
    provider.answersWhole(
      () =>
        new Response(
          new ReadableStream({
            pull: (controller) => {
              sent += chunk.byteLength
              controller.enqueue(chunk)
            }
          }),
          { headers: { "content-type": "application/json" } }
        )
    )
    const { answer } = await signIn({ sub: "ann", groups: ["team-a"] })
    provider.answersWhole(undefined)
    expect(answer.status).toBe(502)
    // What is on the way in buffers of the system, beside the bound of 1 MiB.
    expect(sent).toBeLessThan(16 * 1024 * 1024)
    expect((await signIn({ sub: "ann", groups: ["team-a"] })).answer.status).toBe(303)
  })
})

import { hkdfSync } from "node:crypto"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redacted } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { makeSeal } from "../../src/access/sealed.ts"
import { anyAddress, behindProxy } from "../console/browser.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { startForger } from "./forger.ts"
import type { Forger } from "./forger.ts"
import { statementsOn } from "./statementsOn.ts"
import { Visitor } from "./visitor.ts"

const minute = 60_000
const secret = "s".repeat(64)
const { seal } = makeSeal(Redacted.make(new Uint8Array(hkdfSync("sha256", secret, "", "people/tokens", 32))))

let provider: Forger
let silent: ReturnType<typeof Bun.serve>
let gateway: GatewayHere

beforeAll(async () => {
  provider = await startForger()
  silent = Bun.serve({ port: 0, hostname: "localhost", idleTimeout: 0, fetch: () => new Promise(() => {}) })
  const folder = mkdtempSync(join(tmpdir(), "gateway-checks-"))
  const entry = (issuer: string) =>
    `    - { issuer: "${issuer}", client_id: gateway, client_secret: secret-of-tests }\n`
  writeFileSync(
    join(folder, "gateway.yaml"),
    `${behindProxy}accounts: { team-a: {} }
sign_in:
  oidc:
${entry(provider.issuer)}${entry(silentIssuer())}  roles: [{ group: staff, role: member, accounts: [team-a] }]
`
  )
  gateway = await startGateway({ folder, env: { GATEWAY_SECRET: secret } })
})
afterAll(async () => {
  await gateway.dispose()
  await silent.stop(true)
  await provider.stop()
})

const silentIssuer = () => `http://localhost:${silent.port}`
const run = (...statements: ReadonlyArray<string>) =>
  statementsOn({ name: "sqlite" }, join(gateway.folder, "data/gateway.db"), statements)

/** As if this time had passed since the people were last asked about. */
const later = async (ms: number) => {
  await run(
    `UPDATE people SET checked_at = checked_at - ${ms}, seen_at = seen_at - ${ms}`,
    `UPDATE provider_tokens SET tried_at = tried_at - ${ms}`,
    `UPDATE access_version SET version = version + 1`
  )
  // The gateway looks four times a second whether something has changed.
  await Bun.sleep(600)
}

const signIn = async (sub: string) => {
  const visitor = new Visitor()
  const headers = { "x-forwarded-for": anyAddress() }
  const begun = await visitor.send(`${gateway.url}/sign-in?issuer=${encodeURIComponent(provider.issuer)}`, { headers })
  const location = begun.headers.get("location") ?? ""
  provider.asked(location)
  provider.answers((claims) => provider.sign({ ...claims, sub, email: `${sub}@corp.test` }))
  const state = new URL(location).searchParams.get("state") ?? ""
  const callback = `${gateway.url}/sign-in/callback?${new URLSearchParams({ code: "c", state })}`
  expect((await visitor.send(callback, { headers, isForeign: true })).status).toBe(303)
  return visitor
}
const keysOf = (visitor: Visitor, signal?: AbortSignal) =>
  visitor.send(`${gateway.url}/admin/v1/keys`, signal === undefined ? {} : { signal })

it("a check comes to its end where the one who waits for it leaves, as the token may have been replaced", async () => {
  let current = "first"
  const asked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  provider.refreshes(async (sent) => {
    if (sent === null) return current
    if (sent !== current) return undefined
    current = `${current}+`
    asked.resolve()
    await answered.promise
    return current
  })
  const ann = await signIn("ann")
  const person = `(SELECT id FROM people WHERE subject = 'ann')`
  const tokenOf = async () => (await run(`SELECT refresh_token FROM provider_tokens WHERE person_id = ${person}`))[0]
  const before = await tokenOf()
  await later(5 * minute)
  const leaving = new AbortController()
  const left = keysOf(ann, leaving.signal).catch(() => "left")
  await asked.promise
  leaving.abort()
  expect(await left).toBe("left")
  // Until the gateway has noticed.
  await Bun.sleep(300)
  answered.resolve()
  await expect.poll(tokenOf).not.toEqual(before)
  await later(5 * minute)
  expect((await keysOf(ann)).status).toBe(200)
})

it("people are checked beside those of a provider that is silent, or no longer in the configuration", async () => {
  let isBen = true
  provider.refreshes((sent) => (isBen ? (sent ?? "ben's") : undefined))
  const ben = await signIn("ben")
  const made = await ben.send(`${gateway.url}/admin/v1/keys`, {
    method: "POST",
    headers: { "x-gateway-csrf": (await ben.session(gateway.url)).csrf },
    body: JSON.stringify({ account: "team-a", name: "own" })
  })
  const { secret } = await made.json()
  const status = async () =>
    (await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } })).status
  expect(await status()).toBe(200)
  // As many as are checked in a row, and a few more. All use their keys.
  const now = Date.now()
  const many = (name: string, issuer: string) =>
    Array.from({ length: 25 }, (_, at) => `${name}-${at}`).flatMap((subject) => [
      `INSERT INTO people (id, issuer, subject, email, name, groups, role, accounts, bodies, seen_at, checked_at)
        VALUES ('${subject}', '${issuer}', '${subject}', '', '', '["staff"]', 'member', '["team-a"]', 0, ${now}, ${now - minute})`,
      `INSERT INTO provider_tokens (person_id, refresh_token, tried_at)
        VALUES ('${subject}', '${seal("a token", subject)}', ${now - minute})`,
      `INSERT INTO keys (id, account_id, hash, name, hint, hint_form, models, limits, created_at, person_id)
        VALUES ('key_${subject}', 'team-a', '${subject}', '', '', 'end', '["*"]', '{}', ${now}, '${subject}')`
    ])
  await run(...many("gone", "https://gone.test"), ...many("waiting", silentIssuer()))
  await run(`UPDATE keys SET last_used_at = ${now}`, `UPDATE sessions SET last_used_at = 0`)
  isBen = false
  await later(5 * minute)
  await expect.poll(status, { interval: 200 }).toBe(401)
  const failing = async () =>
    (await run(`SELECT person_id FROM provider_tokens WHERE failing_since IS NOT NULL`)).length
  await expect.poll(failing, { interval: 500 }).toBe(25)
}, 90_000)

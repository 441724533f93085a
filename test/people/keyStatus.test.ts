import { writeFileSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { KeyRecord } from "../../src/admin/KeyRecord.ts"
import { runCommand } from "../commandHere.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { statementsOn } from "./statementsOn.ts"

const operatorKey = "operator-key-0123456789abcdef"
const managerKey = "manager-key-0123456789abcdef"

describeOnEach("a key whose person or account is held", (engine) => {
  let gateway: GatewayHere
  let env: Record<string, string>

  const run = (...statements: ReadonlyArray<string>) =>
    statementsOn(engine, env["GATEWAY_DATABASE_URL"] ?? join(gateway.folder, "data/gateway.db"), statements)
  const ask = async (method: string, path: string, body?: object, key = operatorKey) => {
    const answer = await fetch(`${gateway.url}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return answer.json()
  }
  const idsOf = async (query: string) =>
    (await ask("GET", `/keys?account=team-a&${query}`)).data.map(({ id }: KeyRecord) => id)

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-held-"))
    const manager = { name: "manager", role: "manager", accounts: ["team-*"], secret: managerKey }
    writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ admin_keys: [manager] }))
    env = { ...(await gatewayEnv("held")), GATEWAY_ADMIN_KEY: operatorKey }
    gateway = await startGateway({ folder, env })
    for (const id of ["team-a", "other"]) await ask("POST", "/accounts", { id })
    await run(
      `INSERT INTO people (id, issuer, subject, email, name, groups, role, accounts, bodies, seen_at, checked_at)
        VALUES ('person_ann', 'https://i', 'ann', '', '', '[]', 'member', '["team-a"]', 0, 0, 0)`
    )
  })
  afterAll(() => gateway.dispose())

  it("is suspended, for a reason, in the API and the list of keys", async () => {
    const { key } = await ask("POST", "/keys", { account: "team-a", name: "ann's" })
    await run(`UPDATE keys SET person_id = 'person_ann' WHERE id = '${key.id}'`)
    const shown = async () => {
      const { status, suspended_by: by } = await ask("GET", `/keys/${key.id}`)
      const [listed, active, suspended] = [
        await idsOf(""),
        await idsOf("status=active"),
        await idsOf("status=suspended")
      ]
      expect([listed, active, suspended]).toEqual(
        status === "active" ? [[key.id], [key.id], []] : [[key.id], [], [key.id]]
      )
      return [status, by]
    }
    expect(await shown()).toEqual(["active", null])
    await run(`UPDATE people SET held = 'over'`)
    expect(await shown()).toEqual(["suspended", "person"])
    const remote = { GATEWAY_URL: gateway.url, GATEWAY_ADMIN_KEY: operatorKey }
    for (const place of [env, remote]) {
      const { out } = await runCommand(gateway.folder, ["keys", "list", "--account", "team-a"], place)
      expect(out).toContain("suspended (its person)")
    }
    await run(`UPDATE people SET held = 'away'`)
    expect(await shown()).toEqual(["suspended", "provider"])
    await run(`UPDATE people SET held = NULL`)
    await ask("POST", "/accounts/team-a/suspend", {})
    expect(await shown()).toEqual(["suspended", "account"])
    await ask("POST", "/accounts/team-a/resume", {})
    expect(await shown()).toEqual(["active", null])
    await ask("POST", `/keys/${key.id}/revoke`)
    await run(`UPDATE people SET held = 'over'`)
    expect(await ask("GET", `/keys/${key.id}`)).toMatchObject({ status: "revoked", suspended_by: null })
  })

  it("says whether it has a secret to rotate", async () => {
    const { key } = await ask("POST", "/keys", { account: "team-a", name: "signed in" })
    expect(key).toMatchObject({ has_secret: true })
    await run(`UPDATE keys SET hash = 'sign-in person_ann team-a', hint = '' WHERE id = '${key.id}'`)
    expect(await ask("GET", `/keys/${key.id}`)).toMatchObject({ has_secret: false })
    const { out } = await runCommand(gateway.folder, ["keys", "show", key.id], env)
    expect(out).toMatch(/secret +none; tokens open it/)
  })

  it("is found by a manager behind a hundred keys of others with the same hint", async () => {
    const { key, secret } = await ask("POST", "/keys", { account: "team-a", name: "leaked" })
    const hint = secret.slice(-4)
    const many = Array.from(
      { length: 120 },
      (_, at) => `('key_x${at}', 'other', 'hash ${at}', 'x', '${hint}', 'end', '["*"]', '{}', 1)`
    )
    await run(
      `INSERT INTO keys (id, account_id, hash, name, hint, hint_form, models, limits, created_at) VALUES ${many.join()}`
    )
    const found = await ask("POST", "/keys/find", { secret: `…${hint}` }, managerKey)
    expect(found).toMatchObject({ match: "hint", data: [{ id: key.id }] })
    expect((await ask("POST", "/keys/find", { secret: hint })).data).toHaveLength(100)
    // Another account's whole secret is one that no key has.
    const { secret: others } = await ask("POST", "/keys", { account: "other", name: "theirs" })
    expect(await ask("POST", "/keys/find", { secret: others }, managerKey)).toMatchObject({ match: "hint", data: [] })
  })
})

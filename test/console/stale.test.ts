import { afterAll, beforeAll, expect, it } from "vitest"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { Browser } from "./browser.ts"

const adminKey = "admin-key-0123456789abcdefghijklmnop"

describeOnEach("two who change the same", () => {
  let gateway: GatewayHere
  let one: Browser
  let other: Browser
  beforeAll(async () => {
    gateway = await startGateway({ env: { GATEWAY_ADMIN_KEY: adminKey, ...(await gatewayEnv("stale")) } })
    one = new Browser(gateway.url)
    other = new Browser(gateway.url)
    await one.signIn({ key: adminKey })
    await other.signIn({ key: adminKey })
  })
  afterAll(() => gateway.dispose())

  const patch = (browser: Browser, path: string, body: object) => browser.send(path, { method: "PATCH", body })

  it("of a key: the later is refused, and shown what it is now", async () => {
    const made = await one.send("/admin/v1/keys", { body: { account: "default", name: "before" } })
    const { id, version } = made.json.key
    const path = `/admin/v1/keys/${id}`
    const first = await patch(one, path, { name: "after", version })
    expect(first.status).toBe(200)
    expect(first.json.version).not.toBe(version)
    const late = await patch(other, path, { models: ["x"], version })
    // All that can be changed; what it was used for is no part of that.
    const { usage: _, ...changeable } = first.json
    expect([late.status, late.json.error.code, late.json.error.current]).toEqual([409, "conflict", changeable])
    expect((await other.send(path)).json).toEqual(first.json)
    expect((await patch(other, path, { models: ["x"], version: late.json.error.current.version })).status).toBe(200)
    // Without a version the last one wins, as ever; what is only used is not changed.
    expect((await patch(one, path, { name: "last" })).json).toMatchObject({ name: "last", models: ["x"] })
  })

  it("of an account, at the same moment: one of them wins", async () => {
    await one.send("/admin/v1/accounts", { body: { id: "both" } })
    const path = "/admin/v1/accounts/both"
    const { version } = (await one.send(path)).json
    const answers = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((requests_per_minute) =>
        patch(requests_per_minute % 2 === 0 ? one : other, path, { limits: { requests_per_minute }, version })
      )
    )
    const won = answers.filter(({ status }) => status === 200)
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409])
    expect((await one.send(path)).json.limits).toEqual(won[0]?.json.limits)
    const before = (await one.send(path)).json.version
    await one.send(`${path}/credit`, { body: { usd: 3 } })
    await one.send(`${path}/credit`, { body: { usd: 3 } })
    expect((await one.send(path)).json.version).not.toBe(before)
  })
})

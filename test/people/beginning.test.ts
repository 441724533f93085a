import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { anyAddress, behindProxy } from "../console/browser.ts"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"
import { startForger } from "./forger.ts"
import type { Forger } from "./forger.ts"
import { Visitor } from "./visitor.ts"

let provider: Forger
let gateway: GatewayProcess

beforeAll(async () => {
  provider = await startForger()
  const folder = mkdtempSync(join(tmpdir(), "gateway-beginning-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `${behindProxy}sign_in:
  oidc: [{ issuer: "${provider.issuer}", label: Example Ltd, client_id: gateway, client_secret: secret-of-tests }]
  roles: [{ group: staff, role: operator }]
`
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await provider.stop()
})

describe("beginning to sign in", () => {
  const beginAs = (headers: Record<string, string>, address = anyAddress()) =>
    new Visitor(address).send(`${gateway.url}/sign-in`, { headers })
  const elsewhere = (mode: string, dest: string) => ({
    "sec-fetch-site": "cross-site",
    "sec-fetch-mode": mode,
    "sec-fetch-dest": dest
  })

  it("is offered under the provider's label", async () => {
    const session = await new Visitor().send(`${gateway.url}/console/session`)
    expect(await session.json()).toMatchObject({ sign_in: [{ name: "Example Ltd" }] })
  })

  it("is done at the providers of the configuration alone", async () => {
    const unknown = await new Visitor().send(`${gateway.url}/sign-in?issuer=https://evil.test`)
    expect([unknown.status, unknown.headers.get("location")]).toEqual([403, null])
  })

  it("is not done by another site's image, frame or fetch, which leave no cookie", async () => {
    for (const headers of [
      elsewhere("no-cors", "image"),
      elsewhere("navigate", "iframe"),
      elsewhere("cors", "empty"),
      { accept: "image/avif,image/webp,*/*;q=0.8" }
    ]) {
      const answer = await beginAs(headers)
      expect([answer.status, answer.headers.get("location"), answer.headers.getSetCookie()]).toEqual([403, null, []])
    }
  })

  it("waits for no one whom another site's page leads there without end", async () => {
    const address = anyAddress()
    const led = elsewhere("navigate", "document")
    const statuses = new Set<number>()
    const many = (count: number) => Promise.all(Array.from({ length: count }, () => beginAs(led, address)))
    // In a new minute they begin anew.
    let slow = 0
    for (let round = 0; round < 3 && slow < 3_000; round++) {
      for (const { status } of [...(await many(200)), ...(await many(130))]) statuses.add(status)
      const began = performance.now()
      await many(10)
      slow = performance.now() - began
    }
    expect(slow).toBeGreaterThanOrEqual(3_000)
    expect(statuses).toEqual(new Set([303]))
    await Promise.all(Array.from({ length: 400 }, () => beginAs(elsewhere("no-cors", "image"), address)))
    // Who comes by themselves does not wait; the best of a few, as the machine is busy.
    let ms = Infinity
    for (const headers of [{}, { ...led, "sec-fetch-user": "?1" }, {}, { ...led, "sec-fetch-user": "?1" }]) {
      const began = performance.now()
      expect((await beginAs(headers, address)).status).toBe(303)
      ms = Math.min(ms, performance.now() - began)
    }
    expect(ms).toBeLessThan(1_000)
  })
})

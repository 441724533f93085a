import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { anyAddress, behindProxy } from "../console/browser.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { startForger } from "./forger.ts"
import type { Forger } from "./forger.ts"
import { Visitor } from "./visitor.ts"

let provider: Forger
let gateway: GatewayHere

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
    const answered: Array<string> = []
    const begin = async (name: string, headers: Record<string, string>) => {
      statuses.add((await beginAs(headers, address)).status)
      answered.push(name)
    }
    const clicked = { ...led, "sec-fetch-user": "?1" }
    const inOrder = [...Array(4).fill("by themselves"), ...Array(5).fill("led")]
    // Who comes by themselves does not wait. In a new minute they begin anew.
    for (let round = 0; round < 3 && answered.join() !== inOrder.join(); round++) {
      // No more than may wait at a time.
      for (let sent = 0; sent < 330; sent += 55) for (const { status } of await many(55)) statuses.add(status)
      await Promise.all(Array.from({ length: 400 }, () => beginAs(elsewhere("no-cors", "image"), address)))
      answered.length = 0
      const waiting = Array.from({ length: 5 }, () => begin("led", led))
      const own = [{}, clicked, {}, clicked].map((headers) => begin("by themselves", headers))
      await Promise.all([...waiting, ...own])
    }
    expect(answered).toEqual(inOrder)
    expect(statuses).toEqual(new Set([303]))
  })
})

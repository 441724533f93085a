import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCommand } from "../commandHere.ts"
import { freePort } from "../freePort.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { adminKey } from "../people/signIn/sessionKeys.ts"

interface Report {
  readonly findings: ReadonlyArray<{ check: string; level: string; message: string; remedy: string | null }>
}

let gateway: GatewayHere
const env = {
  GATEWAY_PORT: String(freePort()),
  GATEWAY_ADMIN_PORT: String(freePort()),
  GATEWAY_ADMIN_KEY: adminKey
}

beforeAll(async () => {
  gateway = await startGateway({ env })
})
afterAll(() => gateway.dispose())

const run = (args: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) =>
  runCommand(gateway.folder, args, { ...env, ...more })

describe("commands, with an address of its own for operators", () => {
  it("on this machine find it by the settings", async () => {
    // Only a running gateway knows its upstreams' states.
    const asked = await run(["upstreams", "--json"])
    expect([asked.code, asked.err, asked.out]).toEqual([0, "", expect.stringContaining("sandbox")])
    expect((await run(["sessions", "link"])).out).toMatch(new RegExp(`^${gateway.adminUrl}/console#link=`))
    const public_url = { GATEWAY_ADMIN_PUBLIC_URL: "https://admin.example.com/" }
    expect((await run(["sessions", "link"], public_url)).out).toMatch(/^https:\/\/admin\.example\.com\/console#link=/)
  })

  it("from elsewhere name it, and are told so where they name the public one", async () => {
    const keys = (url: string) => run(["keys", "list", "--url", url])
    expect(await keys(gateway.adminUrl)).toMatchObject({ code: 0 })
    const wrong = await keys(gateway.url)
    expect([wrong.code, wrong.err + wrong.out]).toEqual([1, expect.stringContaining("(server.admin)")])
  })

  it("look at it: gateway doctor", async () => {
    const findings = async (more: Readonly<Record<string, string>> = {}) => {
      const { findings } = (await run(["doctor", "--json"], more)).json<Report>()
      return findings.filter(({ check }) => check === "admin address" || check === "running gateway")
    }
    expect(await findings()).toMatchObject([
      { check: "admin address", level: "ok", message: `${gateway.adminUrl}: a gateway answers` },
      { check: "running gateway", level: expect.any(String) }
    ])
    const other = String(freePort())
    expect(await findings({ GATEWAY_ADMIN_PORT: other })).toMatchObject([
      { check: "admin address", level: "problem", remedy: expect.stringContaining("server.admin takes effect") },
      {}
    ])
  })
})

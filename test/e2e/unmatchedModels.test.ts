import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { runCommand } from "../commandHere.ts"
import { adminKey } from "./adminClient.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

let gateway: GatewayHere
beforeAll(async () => {
  gateway = await startGateway({ env: { GATEWAY_ADMIN_KEY: adminKey } })
})
afterAll(() => gateway.dispose())

describe("patterns of a key's models that match no model", () => {
  it("are named in the API's answers while they match none", async () => {
    const send = async (method: string, path: string, body?: object) => {
      const answer = await fetch(`${gateway.url}/admin/v1/keys${path}`, {
        method,
        headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      return answer.json()
    }
    const { key } = await send("POST", "", { account: "default", name: "api", models: ["sandbox-*", "sandbox-txet"] })
    expect(key.unmatched_models).toEqual(["sandbox-txet"])
    expect((await send("GET", `/${key.id}`)).unmatched_models).toEqual(["sandbox-txet"])
    expect((await send("PATCH", `/${key.id}`, { models: ["sandbox-text"] })).unmatched_models).toBeUndefined()
    const excluding = await send("POST", "", { account: "default", name: "none", models: ["!gpt-4o"] })
    expect(excluding.error.message).toBe("models: a pattern can't exclude models with !: list them in not_models")
  })

  it.each(["on this machine", "by --url"])("are a warning of the command line %s", async (where) => {
    const remote = where === "by --url" ? ["--url", gateway.url] : []
    const run = (...args: ReadonlyArray<string>) =>
      runCommand(gateway.folder, [...args, ...remote], { GATEWAY_ADMIN_KEY: adminKey })
    const warning = (name: string) => `gateway: "${name}" names "gpt-5", which no model of the gateway matches\n`
    const name = where.replaceAll(/\W/g, "")
    const made = await run("keys", "create", name, "--model", "sandbox-*,gpt-5")
    expect([made.code, made.err]).toEqual([0, warning(name)])
    const fine = await run("keys", "update", name, "--model", "sandbox-*")
    expect([fine.code, fine.err]).toEqual([0, ""])
    const changed = await run("keys", "update", name, "--model", "gpt-5")
    expect([changed.code, changed.err]).toEqual([0, warning(name)])
  })
})

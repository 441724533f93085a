import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { AuditRecord } from "../../../src/admin/AuditRecord.ts"
import type { KeyRecord } from "../../../src/admin/KeyRecord.ts"
import { runCommand } from "../../commandHere.ts"

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "operator-"))
  await runCommand(folder, ["keys", "create", "laptop", "--model", "sandbox-*,gpt-5"])
})
afterAll(() => rmSync(folder, { recursive: true }))

describe("a command without a gateway is answered by the admin API's handlers", () => {
  const run = (...args: ReadonlyArray<string>) => runCommand(folder, args)

  it("lists what the API lists, patterns that match no model included", async () => {
    const listed = await run("keys", "list", "--json")
    expect(listed.json<ReadonlyArray<KeyRecord>>()).toMatchObject([{ name: "laptop", unmatched_models: ["gpt-5"] }])
  })

  it("refuses a webhook address that would never be called, as the API does", async () => {
    const { code, err } = await run("accounts", "set", "default", "--webhook-url", "http://10.0.0.1/hook")
    expect([code, err]).toEqual([2, expect.stringContaining("gateway: webhook_url: expected a public address")])
    const allowed = await runCommand(folder, ["accounts", "set", "default", "--webhook-url", "http://10.0.0.1/hook"], {
      GATEWAY_ALLOW_ADDRESSES: "10.0.0.0/8"
    })
    expect(allowed.code).toBe(0)
  })

  it("names the user of the command as the actor", async () => {
    await run("keys", "update", "laptop", "--name", "desktop")
    const [newest] = (await run("audit", "list", "--target", await idOf("desktop"), "--json")).json<
      ReadonlyArray<AuditRecord>
    >()
    expect(newest).toMatchObject({ actor: "cli:operator", via: "cli:operator", action: "key.update" })
  })

  it("reads lists page by page", async () => {
    for (const name of ["a", "b", "c"]) await run("accounts", "create", name)
    const listed = async (limit: string) =>
      (await run("accounts", "list", "--json", "--limit", limit)).json<ReadonlyArray<{ readonly id: string }>>()
    expect(await listed("1000")).toHaveLength(4)
    expect(await listed("2")).toHaveLength(2)
  })

  it.each([["upstreams"], ["tools"], ["models"], ["attention"], ["logs"]])(
    "says of %s that only a running gateway knows it",
    async (command) => {
      const { code, err } = await run(command)
      expect([code, err]).toEqual([1, expect.stringContaining("gateway: only a running gateway knows this")])
    }
  )

  const idOf = async (name: string) => (await run("keys", "show", name, "--json")).json<KeyRecord>().id
})

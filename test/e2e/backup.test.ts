import { copyFileSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { expect, it } from "@effect/vitest"
import { startGateway } from "./process.ts"

const guide = readFileSync(resolve(import.meta.dirname, "../../docs/operations.md"), "utf8")

it("a backup made as the guide says, while the gateway runs, starts again with all it had", async () => {
  const gateway = await startGateway()
  const headers = { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" }
  const body = JSON.stringify({ model: "sandbox-text", input: "remember me" })
  const kept = (await (await fetch(`${gateway.url}/v1/responses`, { method: "POST", headers, body })).json()) as {
    id: string
  }
  const [, commands = ""] = /```sh\n(bun -e[^]*?)```/.exec(guide) ?? []
  const shell = Bun.spawnSync(["sh", "-ec", commands.replaceAll("bun -e", `"${process.execPath}" -e`)], {
    cwd: gateway.folder
  })
  expect(shell.stderr.toString()).toBe("")
  const folder = mkdtempSync(join(tmpdir(), "gateway-restored-"))
  mkdirSync(join(folder, "data"))
  copyFileSync(join(gateway.folder, "backup.db"), join(folder, "data/gateway.db"))
  copyFileSync(join(gateway.folder, "backup.secret"), join(folder, "data/secret"))
  await gateway.dispose()
  const restored = await startGateway({ folder, env: { GATEWAY_BOOTSTRAP_KEY: "another-key-0123456789abcdef" } })
  const found = await fetch(`${restored.url}/v1/responses/${kept.id}`, { headers })
  expect(await found.json()).toMatchObject({ id: kept.id, status: "completed" })
  await restored.dispose()
})

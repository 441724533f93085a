import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { runCommand } from "./command.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-live-tools-"))
afterAll(() => rmSync(folder, { recursive: true }))

it("lists the tools of every server, and names those that don't answer", async () => {
  const servers = {
    "sandbox-tools": { url: "sandbox", not_tools: ["d*"] },
    away: { url: "http://127.0.0.1:1/mcp", api_key: "planted-key" },
    personal: { url: "https://tools.example/mcp", auth: "caller" }
  }
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ mcp: { servers } }))
  const { code, err, out } = await runCommand(folder, ["check", "--live"], {})
  expect(out).toMatch(/sandbox-tools +yes +4/)
  expect(out).toMatch(/away +no/)
  expect(out).toMatch(/personal +not asked: needs a caller's token/)
  expect(out).toContain("away: it could not be reached\n  look at: mcp.servers.away")
  expect(`${out}${err}`).not.toContain("planted-key")
  expect([code, err]).toEqual([1, expect.stringContaining("1 problem")])
})

import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "@effect/vitest"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { runCommand } from "./command.ts"
import { startGateway } from "./process.ts"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gateway-secret-files-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o600 })

describe("a secret in a file", () => {
  it.each(["{ file: key }", '"${HOUSE_API_KEY}"', '"${OTHER_API_KEY}"'])(
    "is read again when the file changes: %s",
    async (written) => {
      const upstream = fakeUpstream("openai-chat")
      write("key", "sk-before\n")
      write("gateway.env", "OTHER_API_KEY=sk-before\n")
      write(
        "gateway.yaml",
        `upstreams: { up: { protocol: openai-chat, base_url: "${upstream.url}/v1", api_key: ${written} } }\nmodels: { m: up }\n`
      )
      const gateway = await startGateway({ folder, env: { HOUSE_API_KEY_FILE: join(folder, "key") } })
      const keys = async () => {
        const response = await fetch(`${gateway.url}/v1/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${gateway.key}` },
          body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "play:text" }] })
        })
        await response.text()
        return upstream.asked.at(-1)?.headers["authorization"]
      }
      expect(await keys()).toBe("Bearer sk-before")
      write("key", "sk-after\n")
      write("gateway.env", "OTHER_API_KEY=sk-after\n")
      while (!gateway.output().includes("reloaded (the file has changed)")) await Bun.sleep(10)
      expect(await keys()).toBe("Bearer sk-after")
      await gateway.dispose()
      await upstream.stop()
    }
  )
})

describe("commands that ask no upstream", () => {
  it("run beside a gateway.yaml whose secrets are not here", async () => {
    write(
      "gateway.yaml",
      'upstreams: { anthropic: { protocol: anthropic-messages, base_url: "https://api.anthropic.com", api_key: "${ANTHROPIC_API_KEY}" } }\nmodels: { claude-sonnet-4-5: anthropic }\n'
    )
    for (const args of [
      "accounts create team-a --balance 5",
      "keys create ci --account team-a --model sandbox-* --requests-per-minute 60",
      "keys list",
      "requests list",
      "usage --by model",
      "migrate --check",
      "prices check",
      "backup copy.db"
    ]) {
      expect([args, await runCommand(folder, args.split(" "))]).toEqual([args, expect.objectContaining({ code: 0 })])
    }
    expect((await runCommand(folder, ["check"])).err).toContain("the environment has no variable ANTHROPIC_API_KEY")
    write("gateway.env", "ANTHROPIC_API_KEY=sk-ant-0123456789\n")
    expect((await runCommand(folder, ["check"])).code).toBe(0)
  })
})

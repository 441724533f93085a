import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "@effect/vitest"
import type { Attention } from "../../src/admin/OverviewRecord.ts"
import { request } from "../request.ts"
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
          signal: AbortSignal.timeout(60_000),
          headers: { authorization: `Bearer ${gateway.key}` },
          body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "play:text" }] })
        })
        await response.text()
        return upstream.asked.at(-1)?.headers["authorization"]
      }
      expect(await keys()).toBe("Bearer sk-before")
      write("key", "sk-after\n")
      write("gateway.env", "OTHER_API_KEY=sk-after\n")
      await expect.poll(() => gateway.output()).toContain("reloaded (the file has changed)")
      expect(await keys()).toBe("Bearer sk-after")
      await gateway.dispose()
      await upstream.stop()
    }
  )
})

describe("a secret's file that becomes a FIFO", () => {
  it("holds up nobody: the secret stays, and attention names the file until it is mended", async () => {
    const adminKey = "admin-key-0123456789abcdefghijklmnop"
    write("key", "sk-before")
    write("admin", adminKey)
    write("prices.yaml", "{}")
    write(
      "gateway.yaml",
      `upstreams: { up: { protocol: openai-chat, base_url: "http://127.0.0.1:9/v1", api_key: { file: key } } }\nprices_file: prices.yaml\n`
    )
    const gateway = await startGateway({ folder, env: { GATEWAY_ADMIN_KEY_FILE: "admin" } })
    const attention = async () => {
      const answer = await request(gateway, "/admin/v1/attention", { key: adminKey })
      const { data } = (await answer.json()) as { readonly data: ReadonlyArray<Attention> }
      return data.filter(({ what }) => what === "configuration").map(({ message }) => message)
    }
    expect(await attention()).toEqual([])
    for (const [name, text] of [
      ["key", "sk-before"],
      ["admin", adminKey],
      ["prices.yaml", "{}"]
    ] as const) {
      rmSync(join(folder, name))
      Bun.spawnSync(["mkfifo", join(folder, name)])
      await expect.poll(attention).toEqual([expect.stringContaining(name)])
      expect(await attention()).toEqual([expect.stringContaining("it is not a regular file")])
      expect((await request(gateway, "/v1/models")).status).toBe(200)
      rmSync(join(folder, name))
      write(name, text)
      await expect.poll(attention).toEqual([])
    }
    await gateway.dispose()
  })
})

describe("a secret of the gateway in a file", () => {
  it("is read again when the file changes, but for those that count at the start", async () => {
    const keys = ["admin-key-0123456789abcdefghijklmnop", "admin-key-zyxwvutsrqponmlkjihgfedcba"] as const
    const signing = ["A", "B"].map((letter) => `whsec_${btoa(letter.repeat(32))}`)
    write("admin", keys[0])
    write("signing", signing[0] ?? "")
    write("secret", "s".repeat(40))
    const gateway = await startGateway({
      folder,
      env: { GATEWAY_ADMIN_KEY_FILE: "admin", GATEWAY_WEBHOOK_SECRET_FILE: "signing", GATEWAY_SECRET_FILE: "secret" }
    })
    const ask = async (key: string) => {
      const headers = { authorization: `Bearer ${key}` }
      const answer = await fetch(`${gateway.url}/admin/v1/accounts/default/webhook-secrets`, { headers })
      return { status: answer.status, text: await answer.text() }
    }
    const printed = (words: string) => expect.poll(() => gateway.output()).toContain(words)
    expect(await ask(keys[0])).toEqual({ status: 200, text: expect.stringContaining(signing[0] ?? "") })
    write("signing", signing[1] ?? "")
    write("admin", keys[1])
    await expect.poll(async () => (await ask(keys[0])).status).toBe(401)
    await expect.poll(async () => (await ask(keys[1])).text).toContain(signing[1])
    write("admin", "short")
    await printed("not reloaded (the file has changed), nothing has changed: GATEWAY_ADMIN_KEY")
    expect((await ask(keys[1])).status).toBe(200)
    write("admin", gateway.key)
    await printed("GATEWAY_ADMIN_KEY: is also an API key")
    write("admin", keys[1])
    write("secret", "t".repeat(40))
    await printed("changes of GATEWAY_SECRET take effect at the next start")
    expect(gateway.output()).not.toContain("t".repeat(40))
    await gateway.dispose()
  })
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

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { runCommand } from "./command.ts"
import { startGateway } from "./process.ts"
import { providerNames } from "../../src/config/providers/providers.ts"
import { request } from "../request.ts"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gateway-init-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const run = (args: string, env: Record<string, string> = {}) => runCommand(folder, args.split(" "), env)
const read = (name: string) => readFileSync(join(folder, name), "utf8")
/** The variables of gateway.env. */
const made = () =>
  Object.fromEntries(
    read("gateway.env")
      .split("\n")
      .filter((line) => /^\w+=/.test(line))
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const)
  )

describe("gateway init", () => {
  it("writes what a gateway starts from, with keys that open it", async () => {
    const { code, err, out } = await run(
      "init --providers none --spend 12.50 --callers laptop,team-b --prices built-in"
    )
    expect([code, err]).toEqual([0, ""])
    expect(out).toContain("Wrote gateway.yaml: ")
    expect(out).toContain("There are no upstreams to ask but the sandbox.")
    expect(out).toMatch(/Next:\n\n {2}gateway serve\n/)
    expect(statSync(join(folder, "gateway.env")).mode & 0o777).toBe(0o600)
    expect(read("gateway.yaml")).not.toContain("gw_")
    expect(read("gateway.yaml")).toContain("\n# prices: { refresh_hours: 24 }\n")
    const gateway = await startGateway({ folder, env: { GATEWAY_PORT: "0" } })
    const balance = await request(gateway, "/v1/balance", { key: made()["TEAM_B_GATEWAY_KEY"] })
    expect(await balance.json()).toMatchObject({ granted: { usd: "12.50" } })
    // The commands run as they are printed.
    const [, command = ""] = /A new key: (.+) keys create NAME\./.exec(gateway.output()) ?? []
    const help = Bun.spawnSync(["sh", "-c", `${command} help`], { cwd: folder })
    expect([help.exitCode, help.stdout.toString()]).toEqual([0, expect.stringContaining("keys")])
    await gateway.dispose()
  })

  it("lets callers with a balance use an own server for nothing, and no other model without a price", async () => {
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (asked) =>
        Response.json(
          new URL(asked.url).pathname.endsWith("/models")
            ? { object: "list", data: [{ id: "house-7b", object: "model" }] }
            : {
                id: "c",
                object: "chat.completion",
                created: 1,
                model: "house-7b",
                choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
                usage: { prompt_tokens: 1_000, completion_tokens: 1_000, total_tokens: 2_000 }
              }
        )
    })
    const written = await run(
      `init --providers anthropic,http://127.0.0.1:${server.port}/v1 --spend 20 --callers me --prices built-in`
    )
    expect([written.code, written.err]).toEqual([0, ""])
    expect(written.out).not.toContain("level=")
    const text = read("gateway.yaml")
    expect(text).toContain("\nunpriced: refuse\n")
    const [, first = ""] = /\nmodels:\n +([^:]+): anthropic\n/.exec(text) ?? []
    expect(first).toMatch(/^claude-/)
    // Anthropic is the same server here, and has a model without a price.
    const unpriced = "claude-of-tomorrow"
    writeFileSync(
      join(folder, "gateway.yaml"),
      text
        .replace("provider: anthropic,", `base_url: "http://127.0.0.1:${server.port}/v1", protocol: openai-chat,`)
        .replace(
          `${first}: anthropic`,
          `${unpriced}: anthropic\n  ${first}: { routes: [{ upstream: anthropic }], price: { input: 3, output: 15 } }`
        )
    )
    const env = { GATEWAY_PORT: "0", ANTHROPIC_API_KEY: "k" }
    const gateway = await startGateway({ folder, env })
    const ask = async (model: string) => {
      const body = { model, max_tokens: 9, messages: [{ role: "user", content: "Hello" }] }
      const answer = await request(gateway, "/v1/chat/completions", { key: made()["ME_GATEWAY_KEY"], body })
      await answer.text()
      return answer.status
    }
    const left = async () => {
      const balance = await request(gateway, "/v1/balance", { key: made()["ME_GATEWAY_KEY"] })
      return Number((await balance.json()).available.usd)
    }
    expect([await ask("house-7b"), await ask(unpriced), await left()]).toEqual([200, 403, 20])
    expect([await ask(first), await left()]).toEqual([200, expect.closeTo(20, 3)])
    expect(await left()).toBeLessThan(20)
    // The one that is there after all, and not those of the own server.
    expect(gateway.output().match(/models without a price[^\n"]*/g)).toEqual([
      `models without a price, refused where money is counted: ${unpriced}`
    ])
    await gateway.dispose()
    await server.stop(true)
  })

  it("asks the providers where their keys are there", async () => {
    const { code, err, out } = await run("init --providers http://127.0.0.1:1/v1 --spend none --callers me")
    expect([code, err]).toEqual([1, expect.stringContaining("1 problem")])
    expect(out).toMatch(/^server +no +\d+ ms/m)
    expect(out).toContain("look at: nothing listens at upstreams.server.base_url")
    expect(read("gateway.yaml")).toContain(
      'server: { protocol: openai-chat, base_url: "http://127.0.0.1:1/v1", list_models: true, unpriced: allow }'
    )
  })

  it("says which keys are to be filled in, and what it writes is in order", async () => {
    const { code, out } = await run("init --providers anthropic,openai,ark --spend 20 --callers me")
    expect(code).toBe(0)
    expect(out).toContain("  put ANTHROPIC_API_KEY into gateway.env\n  put OPENAI_API_KEY into gateway.env\n")
    expect(out).toContain("gateway check --live")
    expect(read("gateway.yaml")).toContain("\nprices: { refresh_hours: 24 }\n")
    const keys = { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "b", ARK_API_KEY: "c" }
    const checked = await run("check", { ...made(), ...keys })
    expect(checked.code).toBe(0)
    expect(checked.err).toBe("")
    expect(checked.out).toMatch(/^claude-sonnet-4-5 +text +anthropic\/claude-sonnet-4-5/m)
    expect(checked.out).not.toContain("warning")
  })

  it("knows every provider, and what it writes of them is in order once its variables are filled in", async () => {
    const names = [...providerNames].filter((name) => name !== "generic")
    const { code, err } = await run(`init --providers ${names.join(",")} --spend none --callers me`)
    expect([code, err]).toEqual([0, ""])
    const variables = Object.entries(made()).map(([name, value]) => [name, value === "" ? "global" : value] as const)
    const checked = await run("check", Object.fromEntries(variables))
    expect(checked.code).toBe(0)
    for (const name of names) expect(read("gateway.yaml")).toContain(`  ${name}: { provider: ${name}`)
    expect(checked.out).toMatch(/^bedrock\/claude-opus-5-5 +text +bedrock\/us\.anthropic\.claude-opus-5-5/m)
  })

  it("takes a key of a cloud where there is one, otherwise the cloud's credentials", async () => {
    const bearer = { AWS_BEARER_TOKEN_BEDROCK: "a-bearer-token", AWS_REGION: "us-east-1" }
    await run("init --providers bedrock,azure --spend none --callers me", bearer)
    expect(read("gateway.yaml")).toContain(
      'bedrock: { provider: bedrock, region: "${AWS_REGION}", api_key: "${AWS_BEARER_TOKEN_BEDROCK}" }'
    )
    expect(read("gateway.yaml")).toContain('azure: { provider: azure, resource: "${AZURE_RESOURCE_NAME}" }')
    expect(read("gateway.env")).not.toContain("a-bearer-token")
  })

  it("overwrites nothing, and writes nothing of what is not in order", async () => {
    for (const [args, message] of [
      [
        "init --providers nobody --spend none --callers me",
        '--providers: expected providers as `gateway providers` lists them, or addresses; got "nobody"'
      ],
      [
        "init --providers none --spend much --callers me",
        '--spend: expected dollars such as 20 or 12.50, or none; got "much"'
      ],
      ["init --providers none --spend none --callers a$b", "--callers: expected names of letters"],
      ["init --providers none --spend none", "--callers: expected, since standard input is no terminal"]
    ] as const) {
      const wrong = await run(args)
      expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining(message)])
      expect(existsSync(join(folder, "gateway.yaml"))).toBe(false)
    }
    await run("init --providers none --spend none --callers me")
    const again = await run("init --providers none --spend none --callers me")
    expect([again.code, again.err]).toEqual([4, "gateway: gateway.yaml already exists; nothing was written\n"])
  })
})

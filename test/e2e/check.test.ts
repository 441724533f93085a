import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { runCommand } from "./command.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-check-"))
afterAll(() => rmSync(folder, { recursive: true }))

const check = async (yaml: string | undefined, env: Record<string, string> = {}) => {
  rmSync(join(folder, "gateway.yaml"), { force: true })
  if (yaml !== undefined) writeFileSync(join(folder, "gateway.yaml"), yaml)
  const { code, err, out } = await runCommand(folder, ["check"], env)
  return { out, err: err.trim(), code }
}

describe("gateway check", () => {
  it("accepts the example as it is, and with everything in it put to use", async () => {
    const example = await Bun.file(resolve(import.meta.dirname, "../../gateway.example.yaml")).text()
    expect(await check(example)).toMatchObject({ code: 0, err: "" })
    writeFileSync(join(folder, "prices.yaml"), "gpt-5: { input: 1.25, output: 10 }\n")
    const certificates = resolve(import.meta.dirname, "../http/certificates")
    copyFileSync(join(certificates, "first.crt"), join(folder, "chain.pem"))
    copyFileSync(join(certificates, "first.key"), join(folder, "key.pem"))
    const used = example.replaceAll(/^# ?(?=[ a-z0-9_.-]+:|  +- )/gm, "")
    const names = [...used.matchAll(/\$\{([A-Z_]+)\}/g)].map(
      ([, name]) => [name ?? "", name === "ALERTS_SECRET" ? `whsec_${"x".repeat(32)}` : "x".repeat(30)] as const
    )
    expect(names.length).toBeGreaterThan(3)
    const { code, err, out } = await check(used, Object.fromEntries(names))
    expect(err).toBe("")
    expect(code).toBe(0)
    expect(out).not.toContain("xxxxx")
  })

  it("prints what would be served, without the network", async () => {
    const { code, out } = await check(
      `upstreams:
  up: { protocol: openai-chat, base_url: "http://192.0.2.1/v1", api_key: "\${KEY}", list_models: true }
models:
  house: { routes: [{ upstream: up, model: qwen }, { upstream: sandbox }], context: 4096, price: { input: 0.15, output: 0.6 } }
`,
      { KEY: "sk-planted" }
    )
    expect(code).toBe(0)
    expect(out).toMatch(/^house +text +up\/qwen, sandbox\/sandbox-text +4096 +\$0\.15 in, \$0\.60 out$/m)
    expect(out).toContain("every model that up lists")
    expect(out).toContain("gateway.yaml is in order")
    expect(out).not.toContain("sk-planted")
  })

  it("names settings of sign_in that do nothing", async () => {
    const jwt = "jwt: [{ issuer: https://login.corp.test, audience: gateway, account: team-a }]"
    const { code, out } = await check(`sign_in: { ${jwt}, managed_settings: { model: opus }, recheck_hours: 2 }`)
    expect(code).toBe(0)
    for (const name of ["managed_settings", "recheck_hours"]) {
      expect(out).toContain(`warning: sign_in.${name} does nothing without sign_in.oidc`)
    }
    expect((await check(`sign_in: { ${jwt} }`)).out).not.toContain("does nothing")
  })

  it("names keys that are placeholders, which are no secrets", async () => {
    const { code, out } = await check(
      `upstreams:
  vllm: { protocol: openai-chat, base_url: "http://192.0.2.1/v1", api_key: EMPTY }
  short: { protocol: openai-chat, base_url: "http://192.0.2.1/v1", api_key: k }
  real: { protocol: openai-chat, base_url: "http://192.0.2.1/v1", api_key: "\${KEY}" }
`,
      { KEY: "sk-planted" }
    )
    expect(code).toBe(0)
    expect([...out.matchAll(/^note: upstreams\.(\w+)\.api_key is a placeholder/gm)].map(([, name]) => name)).toEqual([
      "vllm",
      "short"
    ])
  })

  it("says in one line what is wrong, and fails", async () => {
    const { code, err } = await check("models:\n  house: nobody\n")
    expect(code).toBe(1)
    expect(err).toBe('gateway: gateway.yaml:2: models.house: no upstream "nobody"; there are sandbox')
  })

  it("tells what the environment alone gives", async () => {
    const { code, out } = await check(undefined, { ANTHROPIC_API_KEY: "sk-planted" })
    expect(code).toBe(0)
    expect(out).toMatch(/^claude-sonnet-4-5 +text +anthropic\/claude-sonnet-4-5 +\$3\.00 in, \$15\.00 out/m)
    expect(out).toContain("No gateway.yaml")
  })
})

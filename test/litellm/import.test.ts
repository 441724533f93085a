import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import OpenAI from "openai"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { runCommand } from "../commandHere.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { settled, standings } from "./standings.ts"

const server = inject("postgres")
const secretOf = (index: number) => `sk-litellm-test-${String(index).padStart(2, "0")}-0123456789`
const salt = { LITELLM_SALT_KEY: "salt-of-the-test" }

describe.skipIf(server === undefined)("an import of LiteLLM's configuration and database", () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-litellm-"))
  const name = `litellm_${process.pid}_${Date.now()}`
  const url = `${(server ?? "").replace(/\/postgres$/, `/${name}`)}?schema=public&connection_limit=5`
  const [config, out] = [join(folder, "config.yaml"), join(folder, "gateway.yaml")]
  const args = ["import", "litellm", config, "--database", url]
  let upstream: GatewayHere
  let gateway: GatewayHere | undefined
  let rows: Bun.SQL

  beforeAll(async () => {
    const admin = new Bun.SQL({ url: server ?? "", max: 1 })
    await admin.unsafe(`CREATE DATABASE ${name}`)
    await admin.close()
    rows = new Bun.SQL({ url: url.replace(/\?.*/, ""), max: 1 })
    await rows.unsafe(readFileSync(join(import.meta.dirname, "recorded.sql"), "utf8")).simple()
    upstream = await startGateway()
    writeFileSync(
      config,
      `
model_list:
  - model_name: gpt-fast
    litellm_params:
      model: openai/sandbox-text
      api_base: ${upstream.url}/v1
      api_key: os.environ/UPSTREAM_KEY
      input_cost_per_token: 0
      output_cost_per_token: 0.001
      temperature: 0.5
  - model_name: claude
    litellm_params: { model: anthropic/claude-sonnet-4-5, api_key: sk-ant-literal-0123456789 }
router_settings: { fallbacks: [{ gpt-fast: [claude] }], model_group_alias: { smart: claude }, num_retries: 3 }
general_settings: { master_key: sk-master-0123456789-0123456789 }
`
    )
  })
  afterAll(async () => {
    await gateway?.dispose()
    await upstream?.dispose()
    await rows?.close()
    const admin = new Bun.SQL({ url: server ?? "", max: 1 })
    await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`)
    await admin.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const ask = async (headers: Record<string, string>, body: object = {}) => {
    const response = await fetch(`${gateway?.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ model: "gpt-fast", messages: [{ role: "user", content: "hi" }], max_tokens: 10, ...body })
    })
    return { status: response.status, text: await response.text() }
  }
  const bearer = (index: number) => ({ authorization: `Bearer ${secretOf(index)}` })

  it("prints a plan, and what is not carried, and writes nothing", async () => {
    const { code, err, out: text } = await runCommand(folder, args, salt)
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(text).toContain("$12.35 of $100.00 a month")
    expect(text).toContain("- model_list[0].litellm_params.temperature (gpt-fast): ")
    expect(text).toContain("- router_settings.num_retries: ")
    expect(text).toContain('- team "Mobile": its window of 14d can\'t begin when it did')
    expect(text).not.toContain("sk-provider-0123456789")
    expect(text).not.toContain("sk-master")
    expect(text.split("\n").filter((line) => Bun.stringWidth(line) > 80)).toEqual([])
    expect(existsSync(join(folder, "data/gateway.db"))).toBe(false)
    expect(existsSync(out)).toBe(false)
  })

  it("writes accounts, keys, budgets and gateway.yaml, from which clients' keys are served unchanged", async () => {
    const { code, out: text } = await runCommand(folder, [...args, "--write", "--out", out], salt)
    expect(text).toContain("Made 7 accounts and 20 keys.")
    expect(code).toBe(0)
    expect(readFileSync(out, "utf8")).not.toContain("literal")
    // To the nano-dollar.
    const [all, before] = [await standings(folder), await settled(rows)]
    expect(before.size).toBe(12)
    for (const [owner, standing] of before) expect({ owner, ...all.get(owner) }).toEqual({ owner, ...standing })
    const secrets = readFileSync(join(folder, "gateway.env"), "utf8")
    expect(statSync(join(folder, "gateway.env")).mode & 0o777).toBe(0o600)
    expect(secrets).toContain("ANTHROPIC_KEY=sk-ant-literal-0123456789\n")
    expect(secrets).toContain("OPENAI_KEY=sk-provider-0123456789\n")
    const env = {
      ...Object.fromEntries(secrets.split("\n").map((line) => [line.split("=")[0] ?? "", line.split("=")[1] ?? ""])),
      GATEWAY_CONFIG: out,
      UPSTREAM_KEY: upstream.key
    }
    gateway = await startGateway({ folder, env })
    const client = new OpenAI({ apiKey: secretOf(0), baseURL: `${gateway.url}/v1` })
    const answer = await client.chat.completions.create({
      model: "gpt-fast",
      messages: [{ role: "user", content: "hi" }],
      max_tokens: 10
    })
    expect(answer.choices[0]?.message.content).toEqual(expect.any(String))
    for (let index = 0; index < 20; index++) {
      // 5 and Mobile's have another model, 6 is blocked, 14 has expired, 19 is of a blocked team.
      const expected = index === 5 || (index % 4 === 3 && index !== 19) ? 403 : [6, 14, 19].includes(index) ? 401 : 200
      expect({ index, status: (await ask(bearer(index))).status }).toEqual({ index, status: expected })
    }
    expect((await ask({ authorization: "Bearer sk-litellm-test-99-0123456789" })).status).toBe(401)
    expect((await ask({ authorization: "Bearer sk-master-0123456789-0123456789" })).status).toBe(401)
  })

  it("takes keys from every header that LiteLLM takes them from", async () => {
    const key = secretOf(0)
    const alien = { authorization: "Bearer sk-ant-oat01-of-another-service" }
    for (const headers of [
      { "x-api-key": key },
      { "api-key": key },
      { "x-goog-api-key": key },
      { "Ocp-Apim-Subscription-Key": key },
      { "x-litellm-api-key": key },
      { "x-litellm-api-key": `Bearer ${key}` },
      { ...alien, "x-litellm-api-key": `Bearer ${key}` }
    ]) {
      expect({ headers, status: (await ask(headers)).status }).toEqual({ headers, status: 200 })
    }
    expect((await ask({ ...alien, "x-litellm-api-key": "sk-of-nobody-0123456789" })).status).toBe(401)
  })

  it("counts what budgets had used before", async () => {
    // Of $25, a third was spent elsewhere: what is left is less than without it.
    expect((await ask(bearer(2), { max_tokens: 24_700 })).status).toBe(402)
    expect(await ask(bearer(2), { max_tokens: 24_000 })).toMatchObject({ status: 200 })
  })

  it("makes nothing twice, and says so", async () => {
    const { code, out: text } = await runCommand(folder, [...args, "--write", "--out", out], salt)
    expect(code).toBe(0)
    expect(text).toContain("Made 0 accounts and 0 keys.")
    expect(text).toContain("There already, and left as they are: 7 accounts and 20 keys.")
    writeFileSync(out, "# mine\n")
    const other = await runCommand(folder, [...args, "--write", "--out", out], salt)
    expect(other.code).toBe(4)
    expect(other.err).toContain("gateway.yaml is there already, with another text: nothing was written")
  })

  it("puts no keys into an account that has a team's name by chance", async () => {
    const other = mkdtempSync(join(tmpdir(), "gateway-litellm-"))
    const made = await runCommand(other, ["accounts", "create", "Mobile"])
    expect(made.code).toBe(0)
    const { code, err } = await runCommand(other, [...args, "--write", "--out", join(other, "gateway.yaml")], salt)
    expect(err).toContain('account "Mobile" is here already, and no import made it')
    expect(code).toBe(4)
    expect(existsSync(join(other, "gateway.yaml"))).toBe(false)
    expect(JSON.parse((await runCommand(other, ["keys", "list", "--json"])).out)).toEqual([])
    rmSync(other, { recursive: true, force: true })
    // One that an import made gets what came since.
    const hash = new Bun.CryptoHasher("sha256").update("sk-litellm-test-new-0123456789").digest("hex")
    await rows.unsafe(
      `INSERT INTO "LiteLLM_VerificationToken" (token, key_alias, team_id) SELECT '${hash}', 'new', team_id FROM "LiteLLM_TeamTable" WHERE team_alias = 'Mobile'`
    )
    rmSync(out)
    const again = await runCommand(folder, [...args, "--write", "--out", out], salt)
    expect(again.out).toContain("Made 0 accounts and 1 key.")
  })

  it("says what is wrong with its input", async () => {
    const bad = async (given: ReadonlyArray<string>, env: Record<string, string> = salt) => {
      const { code, err } = await runCommand(folder, ["import", "litellm", ...given], env)
      expect(code).toBe(1)
      return err
    }
    const file = (text: string) => {
      const path = join(folder, "bad.yaml")
      writeFileSync(path, text)
      return path
    }
    expect(await bad([join(folder, "none.yaml")])).toContain("none.yaml: there is no such file")
    expect(await bad([file("a: [1")])).toMatch(/bad\.yaml:1: /)
    expect(await bad([file("- 1")])).toContain("bad.yaml: expected LiteLLM's config.yaml")
    expect(await bad([file("upstreams: {}")])).toContain("is a gateway.yaml")
    expect(await bad([file(`a: "${"x".repeat(4_100_000)}"`)])).toContain("expected at most 4 MB; it has 5")
    expect(await bad([config, "--database", "mysql://x/y"])).toContain("--database: expected postgres://")
    expect(await bad([config, "--database", "postgres://u:secret@127.0.0.1:1/x"])).toMatch(
      /can't be reached(?!.*secret)/
    )
    expect(await bad([config, "--database", server ?? ""])).toContain("has no table LiteLLM_VerificationToken")
    expect(await bad([config, "--database", url], { LITELLM_SALT_KEY: "another" })).toContain(
      'LiteLLM_ProxyModelTable "cheap": litellm_params.model can\'t be opened: LITELLM_SALT_KEY'
    )
    expect(await bad([file("model_list: []"), "--database", url], {})).toContain(
      "litellm_params.model is sealed: set LITELLM_SALT_KEY"
    )
    await rows.unsafe(`ALTER TABLE "LiteLLM_VerificationToken" RENAME COLUMN spend TO cost`)
    expect(await bad([config, "--database", url])).toContain("has no column spend in LiteLLM_VerificationToken")
    await rows.unsafe(`ALTER TABLE "LiteLLM_VerificationToken" RENAME COLUMN cost TO spend`)
  })
})

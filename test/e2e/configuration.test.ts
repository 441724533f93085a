import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { engines } from "../sql/engines.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { runCommand } from "./command.ts"
import { startGateway, testKey } from "./process.ts"
import type { GatewayProcess } from "./process.ts"

const postgres = engines.find(({ name }) => name === "postgres")

const document = (models: string, more = "") => `upstreams:
  up: { protocol: openai-chat, base_url: "\${UP}/v1", api_key: "\${UP_KEY}" }
models: ${models}
${more}`

const adminKey = "admin-key-0123456789abcdefghijklmnop"

describe.skipIf(postgres === undefined)("a configuration that is kept in the database", () => {
  const scope = Effect.runSync(Scope.make())
  const upstream = fakeUpstream("openai-chat")
  const folder = mkdtempSync(join(tmpdir(), "gateway-configuration-"))
  let env: Readonly<Record<string, string>>
  let gateway: GatewayProcess
  beforeAll(async () => {
    if (postgres === undefined) return
    env = {
      GATEWAY_CONFIG: "postgres",
      GATEWAY_DATABASE_URL: await Effect.runPromise(Scope.extend(postgres.url, scope)),
      UP: upstream.url,
      UP_KEY: "planted-key-of-the-upstream",
      GATEWAY_ADMIN_KEY: adminKey
    }
    // The file is ignored, with a warning.
    writeFileSync(join(folder, "gateway.yaml"), "models: { local: sandbox }\n")
    gateway = await startGateway({ folder, env: { ...env, GATEWAY_WORKERS: "2" } })
  })
  afterAll(async () => {
    gateway?.signal("SIGTERM")
    await gateway?.exited
    await gateway?.dispose()
    await upstream.stop()
    rmSync(folder, { recursive: true, force: true })
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  const command = (args: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) =>
    runCommand(folder, ["config", ...args], { ...env, ...more })
  const apply = async (text: string, more: ReadonlyArray<string> = []) => {
    writeFileSync(join(folder, "next.yaml"), text)
    return command(["apply", "next.yaml", ...more])
  }
  /** The distinct answers of several connections, spread over the workers. */
  const modelsServed = async (url = gateway.url): Promise<ReadonlyArray<string>> => {
    const lists = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const response = await fetch(`${url}/v1/models`, {
          headers: { authorization: `Bearer ${testKey}` },
          keepalive: false
        })
        const { data } = (await response.json()) as { data: ReadonlyArray<{ id: string }> }
        return data
          .map(({ id }) => id)
          .filter((id) => !id.startsWith("sandbox"))
          .join()
      })
    )
    return [...new Set(lists)]
  }

  it("is none at first, which is said", async () => {
    await expect.poll(() => gateway.output()).toContain("2 workers serve")
    expect(gateway.output()).toContain("no configuration was applied to the database yet")
    expect(gateway.output()).toContain("gateway.yaml is not read")
    expect(await modelsServed()).toEqual([""])
    const none = await command(["show"])
    expect([none.code, none.err]).toEqual([3, "gateway: no configuration was applied yet\n"])
  })

  it("is taken over by all processes once it is applied", async () => {
    const applied = await apply(document("{ one: up }"), ["--note", "the first", "--json"])
    expect(applied.json()).toMatchObject({ version: 1, applied_by: "cli:operator", note: "the first" })
    await expect.poll(() => modelsServed()).toEqual(["one"])
    expect(gateway.output()).toContain("the configuration reloaded (version 1 was applied)")
    expect((await apply(document("{ one: up, two: up }"))).out).toBe("next.yaml is version 2; every node loads it.\n")
    await expect.poll(() => modelsServed()).toEqual(["one,two"])
  })

  it("is refused where it is not in order, or holds a secret", async () => {
    const refused: ReadonlyArray<readonly [string, string]> = [
      ["models: { x: nowhere }", "next.yaml:1: models.x"],
      ["modles: {}", "next.yaml:1: modles"],
      ["accounts: { a: { record: { bodies: on, redact: ['(?=a)'] } } }", "next.yaml:1: accounts.a.record.redact[0]"],
      [document("{ one: up }").replace("UP_KEY", "NO_SUCH"), "the environment has no variable NO_SUCH"],
      [document("{ one: up }").replace("${UP_KEY}", "a-real-key"), "upstreams.up.api_key: a secret is not stored"],
      ["database: { url: postgres://a@b/c }", "database: set its address with GATEWAY_DATABASE_URL alone"]
    ]
    for (const [text, message] of refused) {
      const { code, err } = await apply(text)
      expect([code, err]).toEqual([1, expect.stringContaining(message)])
      expect(err).not.toContain("a-real-key")
    }
    expect((await command(["history", "--json"])).json()).toHaveLength(2)
    expect(await modelsServed()).toEqual(["one,two"])
  })

  it("is what the next worker begins with", async () => {
    const before = gateway.output().length
    gateway.signal("SIGUSR2")
    await expect.poll(() => modelsServed()).toEqual(["one,two"])
    expect(gateway.output().slice(before)).not.toMatch(/"level":"error"/)
  })

  it("goes back with one command, also from where it could not be started with", async () => {
    const { UP: _, UP_KEY: __, ...bare } = env
    const back = await runCommand(folder, ["config", "rollback"], bare)
    expect([back.out, back.err]).toEqual(["version 1 again, as version 3; every node loads it.\n", ""])
    await expect.poll(() => modelsServed()).toEqual(["one"])
    expect((await command(["show"])).out.trimEnd()).toBe(document("{ one: up }").trimEnd())
    expect((await command(["show", "2", "--json"])).json()).toMatchObject({
      version: 2,
      document: document("{ one: up, two: up }")
    })
    const history = (await command(["history", "--json"])).json<
      ReadonlyArray<{ version: number; note: string | null }>
    >()
    expect(history.map(({ note, version }) => [version, note])).toEqual([
      [3, "version 1 again"],
      [2, null],
      [1, "the first"]
    ])
    const audit = await runCommand(folder, ["audit", "list", "--target", "configuration", "--json"], env)
    expect(audit.json<ReadonlyArray<{ action: string; before: unknown; after: unknown }>>()[0]).toMatchObject({
      action: "configuration.rollback",
      actor: "cli:operator",
      before: { version: 2 },
      after: { version: 3 },
      changes: [
        { field: "models.two", before: "up", after: null },
        { field: "note", before: null, after: "version 1 again" }
      ]
    })
    const shown = await runCommand(folder, ["audit", "list", "--action", "configuration", "--changes"], env)
    expect(shown.out).toMatch(/ {2}cli:operator {2}configuration\.apply {2}configuration\n {2}models\.two up\n/)
  })

  it("stays as it was on a node whose environment lacks what it names, which says so", async () => {
    const { code } = await command(["apply", "next.yaml"], { ONLY_HERE: "x" })
    expect(code).toBe(1)
    writeFileSync(join(folder, "next.yaml"), document("{ three: up }", 'server: { public_url: "http://${ONLY_HERE}" }'))
    const applied = await command(["apply", "next.yaml"], { ONLY_HERE: "here.example.com" })
    expect(applied.code).toBe(0)
    await expect.poll(() => gateway.output()).toContain("the environment has no variable ONLY_HERE")
    expect(await modelsServed()).toEqual(["one"])
  })

  it("is applied, read and taken back from elsewhere, read through by the node that answers", async () => {
    const elsewhere = (...args: ReadonlyArray<string>) =>
      runCommand(folder, ["config", ...args, "--url", gateway.url], { GATEWAY_ADMIN_KEY: adminKey })
    writeFileSync(join(folder, "next.yaml"), document("{ four: up }"))
    const applied = await elsewhere("apply", "next.yaml", "--note", "from afar", "--json")
    expect(applied.json()).toMatchObject({ version: 5, applied_by: "admin-key", note: "from afar" })
    await expect.poll(() => modelsServed()).toEqual(["four"])
    expect((await elsewhere("show")).out.trimEnd()).toBe(document("{ four: up }").trimEnd())
    expect((await elsewhere("history", "--limit", "2")).out).toBe((await command(["history", "--limit", "2"])).out)
    const refused: ReadonlyArray<readonly [string, string]> = [
      ["modles: {}", "document:1: modles"],
      ["accounts: { a: { record: { bodies: on, redact: ['(?=a)'] } } }", "document:1: accounts.a.record.redact[0]"],
      [document("{ one: up }").replace("UP_KEY", "NO_SUCH"), "the environment has no variable NO_SUCH"],
      [document("{ one: up }").replace("${UP_KEY}", "a-real-key"), "upstreams.up.api_key: a secret is not stored"]
    ]
    for (const [text, message] of refused) {
      writeFileSync(join(folder, "next.yaml"), text)
      const { code, err } = await elsewhere("apply", "next.yaml")
      expect([code, err]).toEqual([2, expect.stringContaining(message)])
      expect(err).not.toContain("a-real-key")
    }
    const back = await elsewhere("rollback", "3")
    expect([back.out, back.err]).toEqual(["version 3 again, as version 6; every node loads it.\n", ""])
    await expect.poll(() => modelsServed()).toEqual(["one"])
    const none = await elsewhere("show", "99")
    expect([none.code, none.err]).toEqual([3, "gateway: there is no version 99\n"])
  })

  it("needs a Postgres", async () => {
    const { code, err } = await runCommand(folder, ["serve"], { GATEWAY_CONFIG: "postgres", GATEWAY_PORT: "0" })
    expect([code, err]).toEqual([1, expect.stringContaining("GATEWAY_DATABASE_URL has to name a Postgres")])
  })
})

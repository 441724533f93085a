import { readFileSync, writeFileSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { parse } from "yaml"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

const root = resolve(import.meta.dirname, "../..")
const rulesFile = join(root, "docs/operations/alerts.yaml")
const testsFile = join(import.meta.dirname, "alerts.yaml")
const read = (path: string): unknown => parse(readFileSync(path, "utf8"))

const Target = Schema.Struct({ expr: Schema.String })
const Panel = Schema.Struct({ title: Schema.String, targets: Schema.optional(Schema.Array(Target)) })
const Dashboard = Schema.Struct({ panels: Schema.Array(Panel) })
const dashboard = Schema.decodeUnknownSync(Schema.parseJson(Dashboard))(
  readFileSync(join(root, "docs/operations/dashboard.json"), "utf8")
)
const Rules = Schema.Struct({
  groups: Schema.Array(
    Schema.Struct({ rules: Schema.Array(Schema.Struct({ alert: Schema.String, expr: Schema.String })) })
  )
})
const rules = Schema.decodeUnknownSync(Rules)(read(rulesFile)).groups.flatMap((group) => group.rules)

/** Prometheus's own tool, of Debian's package `prometheus`. */
const promtool = Bun.which("promtool")
if (promtool === null) {
  process.stderr.write("promtool is not installed (Debian's package prometheus): what only it knows is not tested\n")
}
const run = (args: ReadonlyArray<string>, input = "") => {
  const { exitCode, stderr, stdout } = Bun.spawnSync([promtool ?? "promtool", ...args], { stdin: Buffer.from(input) })
  return { exitCode, said: `${stdout.toString()}${stderr.toString()}` }
}

let gateway: GatewayHere
let page: string
beforeAll(async () => {
  gateway = await startGateway({ env: { GATEWAY_METRICS: "true" } })
  page = await (await fetch(`${gateway.url}/metrics`)).text()
})
afterAll(() => gateway.dispose())

/** Names of what is counted, with those under which Prometheus keeps a histogram. */
const counted = (): ReadonlySet<string> =>
  new Set(
    [...page.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = "", type]) =>
      type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name]
    )
  )
const named = (expression: string): ReadonlyArray<string> =>
  expression.match(/\b(?:gateway|gen_ai|process)_\w+(?=[{[)\s]|$)/g) ?? []

describe("what Prometheus is told", () => {
  it("has help and type for every metric of a gateway that has seen nothing", () => {
    const declared = [...page.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name)
    expect(declared.length).toBeGreaterThan(40)
    for (const name of declared) expect(page).toMatch(new RegExp(`^# HELP ${name} \\S.*\\.$`, "m"))
  })

  it("has every metric that the dashboard draws and the rules watch", () => {
    const known = counted()
    const labels = /^gen_ai_(?:operation_name|request_model|provider_name|token_type)$/
    const expressions = [
      ...rules.map(({ expr }) => expr),
      ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    ]
    const used = new Set(expressions.flatMap(named).filter((name) => !labels.test(name)))
    expect(used.size).toBeGreaterThan(35)
    expect([...used].filter((name) => !known.has(name))).toEqual([])
  })

  it("is described in docs/operations.md, metric by metric", () => {
    const documents = readFileSync(join(root, "docs/operations.md"), "utf8")
    const declared = [...page.matchAll(/^# TYPE (\w+)/gm)].flatMap(([, name = ""]) => name)
    const missing = declared.filter((name) => !name.startsWith("process_") && !documents.includes(`\`${name}\``))
    expect(missing).toEqual([])
    const told = [...documents.matchAll(/`((?:gateway|gen_ai)_[a-z_]+)`/g)].flatMap(([, name = ""]) => name)
    const labels = /^gen_ai_(?:operation_name|request_model|provider_name|token_type)$/
    expect(told.filter((name) => !declared.includes(name) && !labels.test(name))).toEqual([])
  })

  it("has a test for each alert that fires it, and one that does not", () => {
    const text = readFileSync(testsFile, "utf8")
    for (const { alert } of rules) {
      expect(text).toContain(`name: ${alert} fires\n`)
      expect(text).toContain(`name: ${alert} stays silent\n`)
    }
  })

  it.skipIf(promtool === null)("is free of what promtool finds: names, units, help", () => {
    expect(run(["check", "metrics"], page)).toEqual({ exitCode: 0, said: "" })
  })

  it.skipIf(promtool === null)("has rules that are valid, fire when they should and only then", () => {
    expect(run(["check", "rules", rulesFile])).toMatchObject({ exitCode: 0 })
    const { exitCode, said } = run(["test", "rules", testsFile])
    expect(exitCode, said).toBe(0)
  })

  it.skipIf(promtool === null)("has a dashboard of expressions that are valid", () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-dashboard-"))
    const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    const recorded = expressions.map((expr, n) => ({
      record: `panel:${n}`,
      expr: expr.replaceAll("$__rate_interval", "5m")
    }))
    const file = join(folder, "rules.yaml")
    writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboard", rules: recorded }] }))
    expect(run(["check", "rules", file])).toMatchObject({ exitCode: 0 })
  })
})

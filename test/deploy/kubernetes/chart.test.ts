import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Schema, Struct } from "effect"
import { parse, parseAllDocuments } from "yaml"
import { fixed } from "../../../src/config/Reload.ts"
import { Variables } from "../../../src/config/variables.ts"
import { goProgram } from "../../goPrograms.ts"
import { byKind, chart, helm, kubernetes, lint, manifests, onSqlite } from "./chart.ts"
import type { Values } from "./chart.ts"
import { everything, matrix, textOf } from "./matrix.ts"
import { Monitor, rendered } from "./rendered.ts"

const validate = goProgram("kubectl-validate")

describe("the chart's own files", () => {
  it("have the version of package.json", () => {
    const { version } = Schema.decodeUnknownSync(Schema.parseJson(Schema.Struct({ version: Schema.String })))(
      textOf("package.json")
    )
    expect(parse(textOf("deploy/helm/model-gateway/Chart.yaml"))).toMatchObject({ version, appVersion: version })
  })

  it("replace pods for the sections of gateway.yaml that count at the start, and for no others", () => {
    const [, picked = ""] =
      /pick \(include [^)]+\) ((?:"\w+" ?)+)/.exec(textOf("deploy/helm/model-gateway/templates/deployment.yaml")) ?? []
    expect([...picked.matchAll(/\w+/g)].map(([name]) => name)).toEqual([...fixed])
  })

  it("take from files the variables that the gateway takes from files", () => {
    const page = textOf("docs/configuration.md")
    const Named = Schema.parseJson(
      Schema.Struct({
        properties: Schema.Struct({
          secret: Schema.Struct({
            properties: Schema.Struct({
              variables: Schema.Struct({ items: Schema.Struct({ pattern: Schema.String }) })
            })
          })
        })
      })
    )
    const { properties } = Schema.decodeUnknownSync(Named)(textOf("deploy/helm/model-gateway/values.schema.json"))
    const pattern = new RegExp(properties.secret.properties.variables.items.pattern)
    const told = [...page.matchAll(/`(GATEWAY_\w+)_FILE`/g)].map(([, name = ""]) => name)
    expect(told.length).toBeGreaterThan(6)
    expect(
      Struct.keys(Variables.fields)
        .filter((name) => pattern.test(name))
        .toSorted()
    ).toEqual([...new Set(told)].toSorted())
    expect(["ANTHROPIC_API_KEY", "AWS_PROFILE"].map((name) => pattern.test(name))).toEqual([true, false])
  })
})
describe.skipIf(helm === undefined)("the chart", () => {
  it.each(Object.entries(matrix))("is rendered and passes Helm's lint: %s", async (_, values) => {
    expect(await lint(values)).toMatchObject({ exitCode: 0 })
    for (const document of parseAllDocuments(await rendered(values), { version: "1.1" })) {
      expect(document.errors).toEqual([])
    }
  })

  it.skipIf(validate === undefined)("is what Kubernetes' schemas allow, whatever is given", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-chart-"))
    try {
      const files = await Promise.all(
        Object.entries(matrix).map(async ([name, values]) => {
          const file = join(folder, `${name.replaceAll(/\W+/g, "-")}.yaml`)
          // Kinds of operators have schemas of their own, which no package brings.
          const known = (await rendered(values))
            .split(/^---$/m)
            .filter((text) => !/^apiVersion: (monitoring\.coreos\.com|gateway\.networking)/m.test(text))
          writeFileSync(file, known.join("---\n"))
          return file
        })
      )
      const check = (paths: ReadonlyArray<string>) => {
        const { exitCode, stderr, stdout } = Bun.spawnSync([validate ?? "", "--version", kubernetes, ...paths])
        return { exitCode, said: `${stdout.toString()}${stderr.toString()}` }
      }
      const { exitCode, said } = check(files)
      expect(exitCode, said).toBe(0)
      // It would say so otherwise.
      const wrong = join(folder, "wrong.yaml")
      writeFileSync(wrong, (await rendered(onSqlite)).replace("periodSeconds: 2", "periodSecond: 2"))
      expect(check([wrong])).toMatchObject({ exitCode: 1, said: expect.stringContaining("periodSecond") })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("has a value for every name of its schema, and the reverse", () => {
    const names = (at: string, given: unknown): ReadonlyArray<string> => {
      const properties = Schema.is(Schema.Struct({ properties: Schema.Object }))(given) ? given.properties : {}
      return Object.entries(properties).flatMap(([name, inner]) => {
        const below = names(`${at}${name}.`, inner)
        return below.length > 0 ? below : [`${at}${name}`]
      })
    }
    const schema: unknown = JSON.parse(textOf("deploy/helm/model-gateway/values.schema.json"))
    const values = Schema.decodeUnknownSync(Schema.Object)(parse(textOf("deploy/helm/model-gateway/values.yaml")))
    const has = (path: string) =>
      path.split(".").reduce<unknown>((inner, name) => (Object(inner) as Values)[name], values) !== undefined
    const known = names("", schema).filter((path) => !/^(global|resources)/.test(path))
    expect(known.filter((path) => !has(path))).toEqual([])
    expect(Object.keys(values).filter((name) => !known.some((path) => path.split(".")[0] === name))).toEqual([
      "resources"
    ])
  })

  it("has the shipped alerts, and the job that they name", async () => {
    const kinds = byKind(await rendered(everything))
    expect(kinds.get("PrometheusRule")).toMatchObject({ spec: parse(textOf("docs/operations/alerts.yaml")) })
    const monitor = { ...Object(kinds.get("ServiceMonitor")), metadata: undefined }
    const { spec } = Schema.decodeUnknownSync(Monitor)(monitor, { onExcessProperty: "ignore" })
    expect(spec.endpoints[0].scheme).toBe("https")
    expect(textOf("docs/operations/alerts.yaml")).toContain('up{job="gateway"}')
  })

  it.each(manifests)("$file is what the chart makes", async ({ shipped, text }) => {
    expect(shipped()).toBe(await text())
  })

  it("is packed with the alerts in it", () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-chart-"))
    try {
      expect(Bun.spawnSync([helm ?? "", "package", chart, "--destination", folder]).exitCode).toBe(0)
      const [file = ""] = [...new Bun.Glob("*.tgz").scanSync(folder)]
      const listed = Bun.spawnSync(["tar", "-xzOf", join(folder, file), "model-gateway/alerts.yaml"])
      expect(listed.stdout.toString()).toBe(textOf("docs/operations/alerts.yaml"))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

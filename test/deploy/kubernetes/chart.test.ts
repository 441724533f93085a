import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Schema, Struct } from "effect"
import { parse, parseAllDocuments } from "yaml"
import { fixed } from "../../../src/config/Reload.ts"
import { Settings } from "../../../src/config/Settings.ts"
import { Variables } from "../../../src/config/variables.ts"
import { goProgram } from "../../goPrograms.ts"
import { byKind, chart, helm, kubernetes, lint, manifests, onPostgres, onSqlite, render } from "./chart.ts"
import type { Values } from "./chart.ts"

const root = resolve(import.meta.dirname, "../../..")
const textOf = (...path: ReadonlyArray<string>) => readFileSync(join(root, ...path), "utf8")
const validate = goProgram("kubectl-validate")

const https = { tls: { secret: "model-gateway-tls" } }
const everything = {
  ...onPostgres,
  ...https,
  workers: 4,
  config: { server: { trusted_proxies: ["10.0.0.0/8"] }, models: { "house-default": { routes: [] } } },
  env: { GATEWAY_LOG: "warn" },
  files: { bucket: "s3://bucket/prefix", endpoint: "https://s3.example.com", region: "eu-west-1" },
  ingress: { enabled: true, className: "nginx", host: "gateway.example.com", tlsSecret: "gateway-example-com" },
  autoscaling: { enabled: true, maxReplicas: 20 },
  networkPolicy: {
    enabled: true,
    from: [{ namespaceSelector: { matchLabels: { team: "a" } } }],
    egress: [{ ports: [{ port: 443 }] }, { to: [{ ipBlock: { cidr: "10.1.0.0/16" } }], ports: [{ port: 5432 }] }]
  },
  serviceMonitor: { enabled: true, labels: { release: "prometheus" }, tlsConfig: { insecureSkipVerify: true } },
  prometheusRule: { enabled: true },
  imagePullSecrets: [{ name: "registry" }],
  serviceAccount: { name: "gateway" },
  podAnnotations: { "example.com/team": "a" },
  podLabels: { team: "a" },
  priorityClassName: "high",
  nodeSelector: { "kubernetes.io/arch": "arm64" },
  tolerations: [{ key: "gateway", operator: "Exists" }],
  affinity: { podAntiAffinity: {} }
}
const [, page = ""] = /^```yaml\n(# production\.yaml\n[^]*?)^```$/m.exec(textOf("docs/deployment.md")) ?? []
const matrix: Readonly<Record<string, Values>> = {
  "docs/deployment.md": Schema.decodeUnknownSync(Schema.Object)(parse(page)) as Values,
  "nothing given": {},
  SQLite: onSqlite,
  "SQLite on a volume that exists, with HTTPS": { ...https, persistence: { existingClaim: "books" } },
  "SQLite, its files in a bucket": { files: { bucket: "s3://bucket" } },
  Postgres: onPostgres,
  "Postgres, its configuration in the database": { ...onPostgres, env: { GATEWAY_CONFIG: "postgres" } },
  "Postgres, a ConfigMap that exists": { ...onPostgres, configMap: "gateway-yaml" },
  "a route of the Gateway API": {
    route: { enabled: true, host: "gateway.example.com", parentRefs: [{ name: "public", sectionName: "https" }] }
  },
  "a platform that chooses the user": { podSecurityContext: { runAsUser: null, runAsGroup: null, fsGroup: null } },
  everything
}

const Variable = Schema.Struct({ name: Schema.String, value: Schema.String })
const Deployment = Schema.Struct({
  spec: Schema.Struct({
    replicas: Schema.optional(Schema.Int),
    strategy: Schema.Struct({ type: Schema.String, rollingUpdate: Schema.optional(Schema.Object) }),
    template: Schema.Struct({
      metadata: Schema.Struct({ annotations: Schema.Struct({ "checksum/start": Schema.String }) }),
      spec: Schema.Struct({
        terminationGracePeriodSeconds: Schema.Int,
        containers: Schema.Tuple(Schema.Struct({ image: Schema.String, env: Schema.Array(Variable) }))
      })
    })
  })
})
const Monitor = Schema.Struct({
  apiVersion: Schema.Literal("monitoring.coreos.com/v1"),
  kind: Schema.Literal("ServiceMonitor"),
  spec: Schema.Struct({
    selector: Schema.Struct({ matchLabels: Schema.Record({ key: Schema.String, value: Schema.String }) }),
    endpoints: Schema.Tuple(
      Schema.Struct({
        port: Schema.Literal("http"),
        path: Schema.Literal("/metrics"),
        scheme: Schema.Literal("http", "https"),
        interval: Schema.String,
        authorization: Schema.Struct({
          credentials: Schema.Struct({ name: Schema.String, key: Schema.String })
        }),
        tlsConfig: Schema.optional(Schema.Object),
        relabelings: Schema.Tuple(
          Schema.Struct({ targetLabel: Schema.Literal("job"), replacement: Schema.Literal("gateway") })
        )
      })
    )
  })
})
const rendered = async (values: Values) => {
  const { error, exitCode, out } = await render(values)
  if (exitCode !== 0) throw new Error(error)
  return out
}
const deploymentOf = async (values: Values) =>
  Schema.decodeUnknownSync(Deployment)(byKind(await rendered(values)).get("Deployment")).spec

describe("the chart's own files", () => {
  it("have the version of package.json", () => {
    const { version } = Schema.decodeUnknownSync(Schema.parseJson(Schema.Struct({ version: Schema.String })))(
      textOf("package.json")
    )
    expect(parse(textOf("deploy/helm/model-gateway/Chart.yaml"))).toMatchObject({ version, appVersion: version })
  })

  it("replace pods for the sections of gateway.yaml that count at the start, and for no others", () => {
    const [, picked = ""] =
      /pick \.Values\.config ((?:"\w+" ?)+)/.exec(textOf("deploy/helm/model-gateway/templates/deployment.yaml")) ?? []
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

  it("stops the one process of SQLite before the next, and none of Postgres' before the next is ready", async () => {
    expect(await deploymentOf(onSqlite)).toMatchObject({ replicas: 1, strategy: { type: "Recreate" } })
    expect(await deploymentOf(onPostgres)).toMatchObject({
      replicas: 3,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
    })
    expect((await deploymentOf(everything)).replicas).toBeUndefined()
  })

  it.each(Object.entries(matrix))(
    "tells the gateway nothing that it refuses or does not know: %s",
    async (_, values) => {
      const { containers, terminationGracePeriodSeconds } = (await deploymentOf(values)).template.spec
      const folder = mkdtempSync(join(tmpdir(), "gateway-chart-"))
      writeFileSync(join(folder, "gateway.yaml"), "{}")
      // Longer than any secret has to be, and addresses where they are wanted.
      const secret = (name: string) => {
        if (name === "GATEWAY_DATABASE_URL_FILE") return "postgres://a:b@127.0.0.1:1/c"
        return name === "GATEWAY_REDIS_URL_FILE" ? "redis://127.0.0.1:6379" : "s".repeat(40)
      }
      const env = Object.fromEntries(
        containers[0].env.map(({ name, value }) => {
          if (name === "GATEWAY_CONFIG") return [name, join(folder, "gateway.yaml")]
          if (!name.endsWith("_FILE")) return [name, value]
          const file = join(folder, name)
          writeFileSync(file, secret(name))
          return [name, file]
        })
      )
      try {
        const { server, warnings } = await Effect.runPromise(Effect.provide(Settings, Settings.from(env)))
        expect(warnings).toEqual([])
        const needed = Duration.toSeconds(Duration.sum(server.leaveTime, server.drainDeadline))
        // Workers that do not end are given ten seconds more.
        expect(terminationGracePeriodSeconds).toBeGreaterThan(needed + 10)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    }
  )

  it("replaces pods for what counts at the start, and leaves the rest to the gateway", async () => {
    const stamp = async (config: object) =>
      (await deploymentOf({ config })).template.metadata.annotations["checksum/start"]
    expect(await stamp({ models: { a: "sandbox" } })).toBe(await stamp({ models: { b: "sandbox" } }))
    expect(await stamp({ server: { metrics: true } })).not.toBe(await stamp({ server: { metrics: false } }))
  })

  it("gives gateway.yaml as it is written, with the certificate beside it", async () => {
    const { data } = Schema.decodeUnknownSync(
      Schema.Struct({ data: Schema.Struct({ "gateway.yaml": Schema.String }) })
    )(byKind(await rendered(everything)).get("ConfigMap"))
    expect(parse(data["gateway.yaml"])).toEqual({
      ...everything.config,
      server: {
        ...everything.config.server,
        tls: { cert: "/run/secrets/tls/tls.crt", key: "/run/secrets/tls/tls.key" }
      }
    })
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

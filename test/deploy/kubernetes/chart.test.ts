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
import { byKind, chart, helm, kubernetes, lint, manifests, named, onPostgres, onSqlite, render } from "./chart.ts"
import type { Values } from "./chart.ts"

const root = resolve(import.meta.dirname, "../../..")
const textOf = (...path: ReadonlyArray<string>) => readFileSync(join(root, ...path), "utf8")
const validate = goProgram("kubectl-validate")

const https = { tls: { secret: "model-gateway-tls" } }
const everything = {
  ...onPostgres,
  ...https,
  workers: 4,
  config: { server: { trusted_proxies: ["10.0.0.0/8"] }, models: { "house-default": { routes: [{ upstream: "sandbox", model: "sandbox-text" }] } } },
  env: { GATEWAY_LOG: "warn", NODE_EXTRA_CA_CERTS: "/etc/authority/ca.pem" },
  extraEnv: [{ name: "AWS_PROFILE", valueFrom: { configMapKeyRef: { name: "aws", key: "profile" } } }],
  extraVolumes: [{ name: "authority", configMap: { name: "authority" } }],
  extraVolumeMounts: [{ name: "authority", mountPath: "/etc/authority", readOnly: true }],
  initContainers: [{ name: "proxy", image: "registry.example.com/proxy:1", restartPolicy: "Always" }],
  host: "::",
  service: { ipFamilyPolicy: "PreferDualStack", ipFamilies: ["IPv6", "IPv4"] },
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
  "Redis behind sentinels, by TLS": {
    ...onPostgres,
    secret: { name: "s", variables: ["GATEWAY_DATABASE_URL", "GATEWAY_SECRET"] },
    redis: {
      sentinel: {
        hosts: ["sentinel-0.sentinels:26379", "[fd00::1]:26379"],
        name: "mymaster",
        tls: true,
        username: "limits",
        secretKey: "REDIS_PASSWORD",
        sentinelUsername: "finder",
        sentinelSecretKey: "SENTINEL_PASSWORD"
      }
    }
  },
  "a text of gateway.yaml, with HTTPS": {
    ...https,
    config:
      "# As it is written.\nserver: { tls: { cert: /run/secrets/tls/tls.crt, key: /run/secrets/tls/tls.key } }\nmodels: {}\n"
  },
  "metrics without a key": {
    config: { server: { metrics: true } },
    serviceMonitor: { enabled: true, secretKey: "" }
  },
  "a namespace that denies what no policy allows": {
    ...onPostgres,
    networkPolicy: { enabled: true, from: [{ podSelector: {} }], egress: [{ ports: [{ port: 5432 }] }] }
  },
  "names of one's own": { nameOverride: "models", fullnameOverride: "models" },
  "labels that the chart has too": {
    ...onPostgres,
    podLabels: { "app.kubernetes.io/name": "other" },
    podAnnotations: { "checksum/start": "x" },
    serviceMonitor: { enabled: true, labels: { "app.kubernetes.io/instance": "other" } },
    ingress: {
      enabled: true,
      host: "gateway.example.com",
      annotations: { "nginx.ingress.kubernetes.io/backend-protocol": "GRPC" }
    },
    tls: { secret: "t" }
  },
  everything
}

const Variable = Schema.Struct({
  name: Schema.String,
  value: Schema.optionalWith(Schema.String, { default: () => "" })
})
const Deployment = Schema.Struct({
  spec: Schema.Struct({
    replicas: Schema.optional(Schema.Int),
    strategy: Schema.Struct({ type: Schema.String, rollingUpdate: Schema.optional(Schema.Object) }),
    template: Schema.Struct({
      metadata: Schema.Struct({ annotations: Schema.Struct({ "checksum/start": Schema.String }) }),
      spec: Schema.Struct({
        affinity: Schema.optional(Schema.Object),
        topologySpreadConstraints: Schema.optional(Schema.Array(Schema.Struct({ topologyKey: Schema.String }))),
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
const ConfigMap = Schema.Struct({ data: Schema.Struct({ "gateway.yaml": Schema.String }) })
/** The gateway.yaml that pods are given. */
const configOf = async (values: Values): Promise<string> => {
  const given = byKind(await rendered(values)).get("ConfigMap")
  return given === undefined ? "{}" : Schema.decodeUnknownSync(ConfigMap)(given).data["gateway.yaml"]
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
      const config = (await configOf(values)).replaceAll("/run/secrets/gateway", folder)
      // Upstreams are not asked here, so their keys are not needed.
      writeFileSync(join(folder, "gateway.yaml"), config.replaceAll(/\$\{\w+\}/g, "key"))
      for (const [, name = ""] of config.matchAll(/file: \S*\/(\w+)/g)) writeFileSync(join(folder, name), "p@ss")
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
    expect(parse(await configOf(everything))).toEqual({
      ...everything.config,
      server: {
        ...everything.config.server,
        tls: { cert: "/run/secrets/tls/tls.crt", key: "/run/secrets/tls/tls.key" }
      }
    })
  })

  it("leaves every value of gateway.yaml what it is", async () => {
    const config = {
      numbers: [1e21, 9_000_000, 0.1, 1e-7, 12345678901234567000],
      texts: ["{{ .Values.a }}", "%d ${A}", "0123", "0o17", "0x1f", "1_000", "12:30:45", "1e3", ".inf", "~", "null"],
      more: [
        "yes",
        "off",
        "=",
        "<<",
        "!x",
        "# c",
        "C:\\x",
        "2027-01-31",
        "  lead",
        "\ttab",
        "é\u2028\u0000\u{1f600}",
        ""
      ],
      lines: "one\n  two\r\n\n",
      last: "kept\n\n\n",
      "key: with {{": { on: { "": [[], {}, null, true] } }
    }
    expect(parse(await configOf({ config }))).toEqual(config)
    const text = "  # On its own.\n  a: {on: [off]}\n  b: |\n    {{ x }} %d\n"
    expect(await configOf({ config: text })).toBe(text)
  })

  it("reads a text for what replaces pods, and for how their probes ask", async () => {
    const stamp = async (config: string) => (await deploymentOf({ config })).template.metadata.annotations
    const text = "server: { metrics: true }\n"
    expect(await stamp(`${text}models: {}`)).toEqual(await stamp(text))
    expect(await stamp("server: { metrics: false }")).not.toEqual(await stamp(text))
    expect(await rendered({ config: "server: { tls: { cert: /c, key: /k } }" })).toContain("scheme: HTTPS")
  })

  it("is spread over nodes also where they have no zones", async () => {
    const { affinity, topologySpreadConstraints } = (await deploymentOf(onPostgres)).template.spec
    // The scheduler's score ignores a node that lacks the label of any constraint.
    expect(topologySpreadConstraints?.map(({ topologyKey }) => topologyKey)).toEqual(["topology.kubernetes.io/zone"])
    expect(JSON.stringify(affinity)).toContain('"topologyKey":"kubernetes.io/hostname"')
    expect((await deploymentOf(everything)).template.spec.affinity).toEqual(everything.affinity)
  })

  it.each(["a.b.c", `long-${"x".repeat(48)}`, "gateway-model-gateway"])(
    "has names that Kubernetes allows in a release called %s",
    async (release) => {
      const { exitCode, out } = await named(release, everything)
      expect(exitCode).toBe(0)
      const names = [...out.matchAll(/^ {2}name: (.*)$/gm)].map(([, name]) => name)
      expect(names.length).toBeGreaterThan(8)
      for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9-]{0,61}[a-z0-9]$/)
    }
  )

  it("is tested from within: the pod that asks its Service", async () => {
    const Pod = Schema.Struct({
      spec: Schema.Struct({
        containers: Schema.Tuple(
          Schema.Struct({ command: Schema.Array(Schema.String), args: Schema.Tuple(Schema.String) })
        )
      })
    })
    const script = async (values: Values) => {
      const { args, command } = Schema.decodeUnknownSync(Pod)(byKind(await rendered(values)).get("Pod")).spec
        .containers[0]
      return [...command, ...args]
    }
    const [cert, key] = ["crt", "key"].map((end) => textOf(`test/http/certificates/first.${end}`))
    for (const [values, tls] of [
      [onSqlite, undefined],
      [https, { cert, key }]
    ] as const) {
      let status = 200
      const server = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        ...(tls && { tls }),
        fetch: ({ url }) => new Response("{}", { status: URL.parse(url)?.pathname === "/readyz" ? status : 404 })
      })
      const env = { ...process.env, HOST: "127.0.0.1", PORT: String(server.port) }
      const ask = async () => Bun.spawn(await script(values), { env, stdout: "ignore", stderr: "ignore" }).exited
      expect(await ask()).toBe(0)
      status = 503
      expect(await ask()).toBe(1)
      await server.stop(true)
      expect(await ask()).toBe(1)
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

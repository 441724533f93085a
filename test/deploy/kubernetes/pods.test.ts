import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Schema } from "effect"
import { parse } from "yaml"
import { Settings } from "../../../src/config/Settings.ts"
import { byKind, helm, named, onPostgres, onSqlite } from "./chart.ts"
import type { Values } from "./chart.ts"
import { everything, https, matrix, textOf } from "./matrix.ts"
import { configOf, deploymentOf, rendered } from "./rendered.ts"

describe.skipIf(helm === undefined)("what the chart makes", () => {
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

  it("opens the operators' address to what `admin.from` names alone, and scrapes there", async () => {
    const { admin, ...more } = matrix["an address for operators"] ?? {}
    const documents = async (values: Values) =>
      (await rendered(values)).split(/^---$/m).map((text): unknown => parse(text))
    const kind = async (name: string, values: Values = { admin, ...more }) =>
      (await documents(values)).filter((one) => (one as { kind?: string } | null)?.kind === name)
    expect((await deploymentOf({ admin, ...more })).template.spec.containers[0].env).toContainEqual({
      name: "GATEWAY_ADMIN_PORT",
      value: "8081"
    })
    expect(await kind("Service")).toMatchObject([
      {
        metadata: { name: "model-gateway-admin" },
        spec: { type: "ClusterIP", ports: [{ name: "admin", port: 80, targetPort: "admin", appProtocol: "https" }] }
      },
      { metadata: { name: "model-gateway" }, spec: { type: "LoadBalancer", ports: [{ name: "http" }] } }
    ])
    expect(await kind("ServiceMonitor")).toMatchObject([{ spec: { endpoints: [{ port: "admin", scheme: "https" }] } }])
    const team = { namespaceSelector: { matchLabels: { team: "operators" } } }
    const ingress = async (values: Values) =>
      ((await kind("NetworkPolicy", values))[0] as { spec: { ingress: ReadonlyArray<unknown> } }).spec.ingress
    expect(await ingress({ admin, ...more })).toEqual([
      { ports: [{ port: "http" }] },
      { ports: [{ port: "admin" }], from: [team] }
    ])
    // Nothing reaches it where nothing is named.
    expect(await ingress({ ...more, admin: { ...(admin as object), from: [] } })).toEqual([
      { ports: [{ port: "http" }] }
    ])
    expect(await kind("Service", { ...onSqlite, networkPolicy: { enabled: true } })).toHaveLength(1)
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
})

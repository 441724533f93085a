import { describe, expect, it } from "@effect/vitest"
import { helm, onPostgres, onSqlite, render } from "./chart.ts"
import type { Values } from "./chart.ts"

/** What is refused, and with which words. */
const refusals: ReadonlyArray<readonly [string, Values, string]> = [
  ["two pods on SQLite", { replicas: 2 }, "replicas: SQLite has one pod"],
  ["an autoscaler on SQLite", { autoscaling: { enabled: true } }, "autoscaling: SQLite has one pod"],
  ["workers on SQLite", { workers: 2 }, "workers: one process serves from SQLite"],
  ["Postgres without its address", { ...onPostgres, secret: {} }, "secret: with Postgres it has GATEWAY_DATABASE_URL"],
  [
    "Postgres without the master secret",
    { ...onPostgres, secret: { name: "s", variables: ["GATEWAY_DATABASE_URL"] } },
    "secret: with Postgres it has GATEWAY_SECRET"
  ],
  ["Postgres with each pod's own files", { ...onPostgres, files: {} }, "files: with Postgres they are in a `bucket`"],
  ["files in two places", { files: { bucket: "s3://b", claim: "c" } }, "files: a `bucket` or a `claim`"],
  ["two configurations", { configMap: "a", config: { models: {} } }, "configMap: in place of `config`"],
  [
    "a configuration in two places",
    { tls: { secret: "model-gateway-tls" }, env: { GATEWAY_CONFIG: "postgres" } },
    "env.GATEWAY_CONFIG: in place"
  ],
  ["variables of no Secret", { secret: { variables: ["GATEWAY_SECRET"] } }, "secret.variables: they need"],
  [
    "a variable twice",
    { ...onSqlite, env: { GATEWAY_ADMIN_KEY: "k" } },
    "env.GATEWAY_ADMIN_KEY: it is in `secret.variables` too"
  ],
  ["a variable that the chart sets", { env: { GATEWAY_PORT: "9000" } }, "env.GATEWAY_PORT: the chart"],
  ["an Ingress for no name", { ingress: { enabled: true } }, "ingress.host"],
  ["a route of no Gateway", { route: { enabled: true, host: "a.example.com" } }, "route: it needs"],
  [
    "both ways in",
    { ingress: { enabled: true, host: "a" }, route: { enabled: true, host: "a", parentRefs: [{ name: "p" }] } },
    "ingress, route: one of them"
  ],
  [
    "an autoscaler upside down",
    { ...onPostgres, autoscaling: { enabled: true, minReplicas: 20 } },
    "autoscaling.minReplicas: not more than maxReplicas"
  ],
  ["metrics without a key", { serviceMonitor: { enabled: true } }, "serviceMonitor: /metrics is opened by a key"],
  [
    "metrics by a key that the gateway does not know",
    { serviceMonitor: { enabled: true }, secret: { name: "s", variables: ["GATEWAY_SECRET"] } },
    "serviceMonitor.secretKey: the gateway does not know"
  ],
  [
    "an autoscaler of nothing that is asked for",
    { ...onPostgres, autoscaling: { enabled: true }, resources: { requests: { cpu: null } } },
    "autoscaling: it counts the share of `resources.requests.cpu`"
  ],
  [
    "SQLite with the address of Postgres",
    { secret: { name: "s", variables: ["GATEWAY_DATABASE_URL"] } },
    "GATEWAY_DATABASE_URL is for `database: postgres`"
  ],
  [
    "an address for operators without its port",
    { config: { server: { admin: {} } } },
    "config.server.admin: `admin` of the chart is in its place"
  ],
  [
    "another port of it than the chart's",
    { admin: { enabled: true }, config: { server: { admin: { port: 9000 } } } },
    "config.server.admin.port: `admin.port`"
  ],
  [
    "an address for operators that browsers don't find back to",
    { admin: { enabled: true }, config: { sign_in: { oidc: [{ issuer: "https://login.example.com" }] } } },
    "admin.publicUrl: the address"
  ],
  ["a variable of it", { env: { GATEWAY_ADMIN_PORT: "9000" } }, "env.GATEWAY_ADMIN_PORT: the chart"],
  ["a database in gateway.yaml", { config: { database: { url: "postgres://a/b" } } }, "config.database: `database`"],
  ["a database in its text", { config: "database: postgres://a/b\n" }, "config.database: `database`"],
  ["a port in gateway.yaml", { config: { server: { port: 9000 } } }, "config.server.port: `service.port`"],
  ["workers in gateway.yaml", { config: "server: { workers: 4 }" }, "config.server.workers: `workers`"],
  [
    "two addresses for clients",
    { publicUrl: "https://a.example.com", config: { server: { public_url: "https://b.example.com" } } },
    "config.server.public_url: `publicUrl`"
  ],
  ["two places for files", { ...onPostgres, config: { files: "s3://b" } }, "config.files: `files`"],
  [
    "two certificates",
    { tls: { secret: "t" }, config: { server: { tls: { cert: "/c", key: "/k" } } } },
    "config.server.tls: `tls.secret`"
  ],
  ["a certificate that the text does not name", { tls: { secret: "t" }, config: "models: {}" }, "tls.secret: `config`"],
  ["a text that is no YAML", { config: "a: [" }, "config: it is no mapping of YAML"],
  ["a text that is a list", { config: "- a" }, "config: it is no mapping of YAML"],
  [
    "a key that Helm reads as a boolean",
    { config: { guardrails: { pii: { true: ["input"] } } } },
    "config: Helm reads a key as true"
  ],
  ["sentinels without a name", { redis: { sentinel: { hosts: ["s:26379"] } } }, "redis.sentinel.name"],
  ["a sentinel without a port", { redis: { sentinel: { hosts: ["s"], name: "m" } } }, "hosts"],
  [
    "sentinels beside an address",
    {
      ...onPostgres,
      secret: { name: "s", variables: ["GATEWAY_DATABASE_URL", "GATEWAY_SECRET", "GATEWAY_REDIS_URL"] },
      redis: { sentinel: { hosts: ["s:26379"], name: "m" } }
    },
    "redis.sentinel: GATEWAY_REDIS_URL"
  ],
  [
    "sentinels in two places",
    { redis: { sentinel: { hosts: ["s:26379"], name: "m" } }, config: { redis: { url: "redis://a" } } },
    "config.redis: `redis.sentinel`"
  ],
  [
    "a password of no Secret",
    { redis: { sentinel: { hosts: ["s:26379"], name: "m", secretKey: "REDIS_PASSWORD" } } },
    "redis.sentinel: a password is a key of `secret`"
  ],
  [
    "a variable that the chart sets, in Kubernetes' own form",
    { extraEnv: [{ name: "GATEWAY_HOST", value: "::" }] },
    "env.GATEWAY_HOST: the chart"
  ],
  ["a name that no Service may have", { fullnameOverride: "1-gateway" }, "fullnameOverride: a Service can't be called"],
  ["a Secret of a registry that is only named", { imagePullSecrets: ["registry"] }, "imagePullSecrets"],
  ["a misspelt resource", { resources: { limit: { memory: "1Gi" } } }, "limit"],
  ["an unknown value", { replica: 3 }, "replica"],
  ["an unknown database", { database: "mysql" }, "database"],
  ["a secret that can't be a file", { secret: { name: "s", variables: ["AWS_PROFILE"] } }, "variables"],
  ["a leave that no balancer notices", { leaveSeconds: 0 }, "leaveSeconds"]
]

describe.skipIf(helm === undefined)("the chart", () => {
  it.each(refusals)("refuses %s", async (_, values, words) => {
    const { error, exitCode } = await render(values)
    expect({ exitCode, error }).toEqual({ exitCode: 1, error: expect.stringContaining(words) })
  })
})

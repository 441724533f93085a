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

import { existsSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Either, Layer, Schema } from "effect"
import { parse } from "yaml"
import { Settings } from "../../src/config/Settings.ts"
import { Variables } from "../../src/config/variables.ts"

const root = resolve(import.meta.dirname, "../..")

const Service = Schema.Struct({
  image: Schema.optional(Schema.String),
  build: Schema.optional(Schema.String),
  command: Schema.optional(Schema.Array(Schema.String)),
  restart: Schema.Literal("unless-stopped"),
  init: Schema.optional(Schema.Boolean),
  ports: Schema.optional(Schema.Array(Schema.String)),
  environment: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.NullOr(Schema.String) })),
  volumes: Schema.optional(Schema.Array(Schema.String)),
  depends_on: Schema.optional(
    Schema.Record({ key: Schema.String, value: Schema.Struct({ condition: Schema.Literal("service_healthy") }) })
  ),
  healthcheck: Schema.optional(
    Schema.Struct({
      test: Schema.Tuple([Schema.Literal("CMD", "CMD-SHELL")], Schema.String),
      interval: Schema.String,
      timeout: Schema.String,
      retries: Schema.Int
    })
  ),
  shm_size: Schema.optional(Schema.String),
  stop_grace_period: Schema.optional(Schema.String)
})
/** As much of the Compose specification as the file uses. */
const Compose = Schema.Struct({
  name: Schema.String,
  services: Schema.Record({ key: Schema.String, value: Service }),
  volumes: Schema.Record({ key: Schema.String, value: Schema.Null })
})

const compose = Schema.decodeUnknownSync(Compose, { onExcessProperty: "error" })(
  parse(readFileSync(resolve(root, "compose.yaml"), "utf8"))
)
const { gateway, ...others } = compose.services

it("compose.yaml starts the gateway once what it stands on is well, which says so itself", () => {
  expect(existsSync(resolve(root, gateway?.build ?? "nowhere", "Dockerfile"))).toBe(true)
  expect(Object.keys(gateway?.depends_on ?? {}).toSorted()).toEqual(Object.keys(others).toSorted())
  for (const { healthcheck } of Object.values(others)) expect(healthcheck).toBeDefined()
})

it("compose.yaml names volumes and variables that are there", async () => {
  const named = Object.values(compose.services).flatMap(({ volumes = [] }) =>
    volumes.map((one) => one.split(":")[0] ?? "")
  )
  expect(named.toSorted()).toEqual(Object.keys(compose.volumes).toSorted())
  const given = { POSTGRES_PASSWORD: "pass", GATEWAY_SECRET: "s".repeat(32), GATEWAY_ADMIN_KEY: "k".repeat(24) }
  const filled = (text: string) =>
    text.replaceAll(/\$\{(\w+):(\?|-)\}/g, (_, name: string, need: string) => {
      const value = new Map(Object.entries(given)).get(name)
      if (value === undefined && need === "?") throw new Error(`${name} is not given`)
      return value ?? ""
    })
  const env = Object.fromEntries(
    Object.entries(gateway?.environment ?? {}).flatMap(([name, value]) =>
      value === null ? [] : [[name, filled(value)] as const]
    )
  )
  const settings = await Effect.runPromise(Effect.either(Effect.scoped(Layer.build(Settings.from(env)))))
  expect(Either.isRight(settings)).toBe(true)
  const { server, warnings } = await Effect.runPromise(Effect.provide(Settings, Settings.from(env)))
  expect([server.workers, warnings]).toEqual([2, []])
})

it("compose.yaml hands on every variable of the gateway's", () => {
  // The image sets the first two, the third does nothing.
  const others = new Set(["GATEWAY_HOST", "GATEWAY_PORT", "GATEWAY_WARM_UP"])
  const handed = Object.keys(gateway?.environment ?? {}).filter((name) => name.startsWith("GATEWAY_"))
  expect(handed.toSorted()).toEqual(
    Object.keys(Variables.fields)
      .filter((name) => !others.has(name))
      .toSorted()
  )
})

import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Configuration } from "../../src/config/Configuration.ts"
import { ReloadLive } from "../../src/config/Reload.ts"
import { Settings } from "../../src/config/Settings.ts"

it.scopedLive("a change of gateway.yaml between its reading and readiness is taken over", () =>
  Effect.gen(function* () {
    const path = join(mkdtempSync(join(tmpdir(), "gateway-reload-")), "gateway.yaml")
    writeFileSync(path, "models: { first: sandbox }")
    const settings = yield* Layer.build(Settings.from({ GATEWAY_CONFIG: path }))
    writeFileSync(path, "models: { second: sandbox }")
    const configuration = yield* Layer.build(
      Layer.provideMerge(ReloadLive, Configuration.Default).pipe(Layer.provide(Layer.succeedContext(settings)))
    )
    const { current } = yield* Effect.provide(Configuration, configuration)
    expect(current().value.models).toEqual({ first: "sandbox" })
    yield* Effect.repeat(Effect.sleep("20 millis"), { until: () => current().value.models?.["second"] !== undefined })
  })
)

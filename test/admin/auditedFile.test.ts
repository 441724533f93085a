import { mkdtempSync, writeFileSync } from "node:fs"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AuditedFileLive } from "../../src/admin/AuditedFile.ts"
import { Audit } from "../../src/admin/store/Audit.ts"
import { Configuration } from "../../src/config/Configuration.ts"
import { Settings } from "../../src/config/Settings.ts"
import { layer as database } from "../../src/sql/Database.ts"
import { describeOnEach } from "../sql/engines.ts"

describeOnEach("the audit log of a file", (engine) => {
  it.scopedLive("has one row for each change, however many processes of the machine read it", () =>
    Effect.gen(function* () {
      const path = join(mkdtempSync(join(tmpdir(), "gateway-audited-")), "gateway.yaml")
      const upstream = (key: string) =>
        `upstreams: { up: { protocol: openai-chat, base_url: "http://up.test/v1", api_key: ${key} } }\n`
      writeFileSync(path, upstream("planted-1"))
      const settings = Settings.from({ GATEWAY_CONFIG: path })
      const url = yield* engine.url
      const process = Layer.provideMerge(AuditedFileLive, Configuration.Default).pipe(
        Layer.provideMerge(Audit.Default),
        Layer.provide(Layer.merge(settings, database({ url, exclusive: false })))
      )
      const one = yield* Layer.build(Layer.fresh(process))
      const other = yield* Layer.build(Layer.fresh(process))
      const reload = (of: typeof one) =>
        Effect.provide(
          Effect.flatMap(Configuration, ({ reload }) => reload),
          of
        )
      const { list } = yield* Effect.provide(Audit, one)
      const rowsOnce = (count: number) =>
        Effect.repeat(Effect.zipRight(Effect.sleep("10 millis"), list({ target: "configuration", limit: 10 })), {
          until: (rows) => rows.length >= count
        })
      writeFileSync(path, `${upstream("planted-2")}models: { m: up }\n`)
      yield* reload(one)
      yield* rowsOnce(1)
      yield* reload(other)
      writeFileSync(path, upstream("planted-2"))
      // Its change before has been looked at by then.
      yield* reload(other)
      const rows = yield* rowsOnce(2)
      expect(rows.map(({ action, actor, after, before }) => ({ action, actor, after, before }))).toEqual([
        {
          action: "configuration.reload",
          actor: `file:${hostname()}:${path}`,
          before: { "models.m": "up" },
          after: { "models.m": null }
        },
        {
          action: "configuration.reload",
          actor: `file:${hostname()}:${path}`,
          before: { "upstreams.up.api_key": "[secret]", "models.m": null },
          after: { "upstreams.up.api_key": "[another secret]", "models.m": "up" }
        }
      ])
    })
  )
})

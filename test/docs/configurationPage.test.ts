import { expect, it } from "@effect/vitest"
import { Context, Duration, Effect, Layer, Option } from "effect"
import { Settings } from "../../src/config/Settings.ts"
import { withBlocks } from "./blocks.ts"
import { absentOf, configurationBlocks, fieldsOfVariables, undescribed } from "./configurationTables.ts"
import { read } from "./documents.ts"

it("docs/configuration.md has the fields and variables as they are: `bun run docs` writes them", async () => {
  const page = await read("docs/configuration.md")
  expect(page).toBe(withBlocks(page, configurationBlocks))
})

it("says something of each", () => {
  expect(undescribed).toEqual([])
})

it("knows the fields that variables win over", () => {
  expect(fieldsOfVariables.filter((field) => absentOf(field) === undefined)).toEqual([])
})

it.effect("says what holds where a field is left out", () =>
  Effect.gen(function* () {
    const settings = Context.get(yield* Layer.build(Settings.from({ GATEWAY_CONFIG: undefined })), Settings)
    const ofOperators = { GATEWAY_ADMIN_PUBLIC_URL: "https://admin.example.com" }
    const apart = Context.get(yield* Layer.build(Settings.from(ofOperators)), Settings)
    const { log, pool, retention, server } = settings
    const holds = {
      "server.host": server.host,
      "server.port": server.port,
      "server.admin.host": Option.getOrThrow(apart.server.admin).host,
      "server.admin.port": Option.getOrThrow(apart.server.admin).port,
      "server.workers": server.workers,
      "server.drain_seconds": Duration.toSeconds(server.drainDeadline),
      "server.leave_seconds": Duration.toSeconds(server.leaveTime),
      "server.metrics": server.metrics,
      "database.connections": pool.connections,
      "database.prepare": pool.prepare,
      "database.statement_timeout": Duration.toSeconds(pool.statementTimeout),
      "database.slow_query_ms": Duration.toMillis(pool.slowQuery),
      "retention.responses_days": Duration.toDays(retention.responses),
      "retention.tasks_days": Duration.toDays(retention.tasks),
      "retention.files_hours": Duration.toHours(retention.files),
      "retention.requests_days": Duration.toDays(retention.requests),
      "gateway.yaml.requests": retention.mostRequests,
      "log.level": log.level
    }
    for (const [field, value] of Object.entries(holds)) {
      expect([field, absentOf(field)]).toEqual([field, `\`${String(value)}\``])
    }
  }).pipe(Effect.scoped)
)

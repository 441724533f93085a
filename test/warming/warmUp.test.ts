import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Exit } from "effect"
import { BadSettings } from "../../src/config/document.ts"
import { Settings } from "../../src/config/Settings.ts"
import { warmsUp } from "../../src/warming/dialects.ts"
import { warmUp } from "../../src/warming/warmUp.ts"

const upstreams = (...protocols: ReadonlyArray<string>) =>
  `upstreams:\n${protocols.map((protocol, index) => `  u${index}: { protocol: ${protocol}, base_url: "http://127.0.0.1:1/v1" }\n`).join("")}`

/** The settings of a gateway whose file has this. */
const settings = (file: string, env: Record<string, string> = {}) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-warming-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    const path = join(folder, "gateway.yaml")
    writeFileSync(path, file)
    const given = yield* Effect.provide(
      Settings,
      Settings.from({ GATEWAY_CONFIG: path, GATEWAY_DATABASE_URL: `sqlite:${folder}/gateway.db`, ...env })
    )
    return { ...given, folder }
  })

describe("warmUp", () => {
  it.scopedLive(
    "asks each family for each dialect of the configured upstreams, streamed and whole, up to thirty times",
    () =>
      Effect.gen(function* () {
        const { folder, ...given } = yield* settings(
          upstreams("anthropic-messages", "openai-chat", "openai-responses", "openai-chat", "ark-video")
        )
        const answered = yield* warmUp(given)
        const round = 3 * 3 * 2
        expect(answered % round).toBe(0)
        expect(answered).toBeGreaterThanOrEqual(round)
        expect(answered).toBeLessThanOrEqual(30 * round)
        // It is nobody's: not even its database is anywhere.
        expect(readdirSync(folder)).toEqual(["gateway.yaml"])
      })
  )

  it.scopedLive("fails where it can't, and says so", () =>
    Effect.gen(function* () {
      const given = yield* settings(upstreams("openai-chat"))
      const refused = new BadSettings({ message: "no" })
      const ended = yield* Effect.exit(warmUp({ ...given, readText: () => Either.left(refused) }))
      expect(ended).toEqual(Exit.fail(refused))
    })
  )
})

describe("warmsUp", () => {
  it.scoped.each<[file: string, env: Record<string, string>, expected: boolean]>([
    [upstreams("openai-chat"), {}, true],
    [upstreams("openai-chat"), { GATEWAY_WARM_UP: "false" }, false],
    [`server: { warm_up: false }\n${upstreams("openai-chat")}`, {}, false],
    [`server: { warm_up: false }\n${upstreams("openai-chat")}`, { GATEWAY_WARM_UP: "true" }, true],
    [upstreams("ark-video"), {}, false],
    ["", {}, false]
  ])("where a text upstream is configured, unless it is not wanted: %j %j", ([file, env, expected]) =>
    Effect.map(settings(file, env), (given) => expect(warmsUp(given)).toBe(expected))
  )
})

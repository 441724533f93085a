import { beforeAll, describe, expect, it } from "@effect/vitest"
import { failures } from "../../src/contract/failures/Failure.ts"
import { withBlocks } from "./blocks.ts"
import { read } from "./documents.ts"
import { explainedBlocks } from "./explained.ts"
import { mixedRun } from "./mixedRun.ts"
import type { Line, MixedRun } from "./mixedRun.ts"

let run: MixedRun
beforeAll(async () => {
  run = await mixedRun()
})

describe("a gateway from its start to its end", () => {
  it("writes nothing to standard output but lines of JSON with a time, a level and an event", () => {
    const lines = run.output.split("\n")
    expect(lines.pop()).toBe("")
    for (const text of lines) {
      const line = JSON.parse(text) as Line
      expect(line).toMatchObject({
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        level: expect.stringMatching(/^(?:debug|info|warn|error)$/),
        event: expect.stringMatching(/^[a-z_.]+$/)
      })
    }
    expect(run.exitCode).toBe(0)
  })

  it("has seen what a log is for: answers, failures of each kind, a reload, an end in the middle", () => {
    const lines = run.output.split("\n").slice(0, -1)
    const all = lines.map((text) => JSON.parse(text) as Line)
    // Rows are looked for until they are there.
    const requests = all.filter(({ event, method }) => event === "request" && method === "POST")
    expect(new Set(requests.map(({ error }) => error))).toEqual(
      new Set([
        undefined,
        "upstream_failed",
        "invalid_request",
        "unknown_model",
        "unpriced",
        "auth_invalid",
        "unknown_route",
        "hang_up"
      ])
    )
    expect(all.find(({ event }) => event === "task.changed")).toMatchObject({ level: "warn", state: "failed" })
    expect(all.find(({ event }) => event === "delivery.attempt")).toMatchObject({ level: "warn", status: 410 })
    expect(run.output).toContain('"event":"config.reloaded"')
    expect(requests.at(-1)).toMatchObject({
      status: 200,
      stream: true,
      error: "upstream_failed",
      reason: "The gateway is shutting down"
    })
    const reasons = requests.flatMap(({ reason }) => (typeof reason === "string" ? [reason] : []))
    expect(reasons).toContainEqual(expect.stringMatching(/^model: invalid model name/))
    // What went well has none, and neither has who left.
    expect(requests.filter(({ error, reason }) => reason !== undefined && (error ?? "hang_up") === "hang_up")).toEqual(
      []
    )
  })
})

describe("lines and rows alone", () => {
  it("say why a request failed: who was asked, how often, and what it said", () => {
    expect(run.failed.status).toBe(500)
    const attempts = run.failed.lines.filter(({ event }) => event === "upstream.attempt")
    expect(attempts.map(({ attempt, said, status, upstream }) => [attempt, upstream, status, said])).toEqual(
      [1, 2, 3].map((attempt) => [attempt, "east", 503, "The engine is overloaded"])
    )
    expect(run.failed.lines.at(-1)).toMatchObject({ event: "request", status: 500, error: "upstream_failed" })
    expect(run.failed.row).toMatchObject({ status: 500, error: "upstream_failed", cost_usd: null })
  })

  it("say that a request failed over, from whom to whom", () => {
    expect(run.failedOver.status).toBe(200)
    expect(run.failedOver.row).toMatchObject({
      error: null,
      upstream: "west",
      attempts: [
        { upstream: "east", status: 503 },
        { upstream: "west", status: 200, error: null }
      ]
    })
  })

  it("say that a stream was cut after its 200, and by whom", () => {
    expect(run.cut.body).toMatch(/\nevent: error\n.*ended before its answer did/s)
    expect(run.cut.lines[0]).toMatchObject({
      event: "upstream.attempt",
      upstream: "west",
      upstream_request_id: "req_upstream"
    })
    expect(run.cut.row).toMatchObject({
      status: 200,
      stream: true,
      error: "upstream_failed",
      attempts: [{ upstream: "west", status: 200, error: "The model's upstream ended before its answer did" }]
    })
  })
})

describe("docs/errors.md", () => {
  it("shows them as they are: `bun run docs` writes it", async () => {
    const page = await read("docs/errors.md")
    expect(page).toBe(withBlocks(page, explainedBlocks(run)))
  })

  it("has a row for each kind of failure", async () => {
    const rows = [...(await read("docs/errors.md")).matchAll(/^\| (`[^|]+`) \|/gm)].map(([, first = ""]) => first)
    const told = rows.flatMap((row) => [...row.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name))
    const kinds = Object.keys(failures).map((tag) => tag.replaceAll(/(?<!^)[A-Z]/g, (one) => `_${one}`).toLowerCase())
    expect(["hang_up", ...kinds].filter((kind) => !told.includes(kind))).toEqual([])
  })
})

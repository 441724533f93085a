import { describe, expect, it } from "vitest"
import { lastOf } from "../../src/admin/LogLines.ts"

const line = (level: string, event: string, request_id: string) => JSON.stringify({ level, event, request_id })

const lines = [
  line("debug", "upstream.attempt", "req_1"),
  line("info", "request", "req_1"),
  line("warn", "upstream.attempt", "req_2"),
  line("error", "request", "req_2")
]

const ids = (query: Parameters<typeof lastOf>[1]) =>
  lastOf(lines, query).map(({ event, request_id }) => `${String(event)} ${String(request_id)}`)

describe("lines of the log", () => {
  it("are all of them where nothing is asked for, oldest first", () => {
    expect(ids({})).toEqual(["upstream.attempt req_1", "request req_1", "upstream.attempt req_2", "request req_2"])
  })

  it("are those from a level on", () => {
    expect(ids({ level: "info" })).toHaveLength(3)
    expect(ids({ level: "error" })).toEqual(["request req_2"])
  })

  it("are those of an event and of a request", () => {
    expect(ids({ event: "request" })).toEqual(["request req_1", "request req_2"])
    expect(ids({ event: "request", request_id: "req_1" })).toEqual(["request req_1"])
  })

  it("are the last that fit, and not the last of all", () => {
    expect(ids({ limit: 1, request_id: "req_1" })).toEqual(["request req_1"])
    expect(ids({ limit: 0 })).toEqual([])
  })
})

import { describe, expect, it } from "vitest"
import { streams, whole } from "./measure.ts"
import type { StreamFigures, WholeFigures } from "./measure.ts"
import { wrongWith } from "./reader.ts"
import { cores, run } from "./running.ts"
import { bodies, paths, wholeBodies } from "./System.ts"
import { bareBun } from "./systems.ts"
import { between, merged, page } from "./table.ts"
import type { Figures, Results } from "./table.ts"
import { startUpstream } from "./upstream.ts"

const received = (...frames: ReadonlyArray<string>) => {
  const chunks = frames.map((frame) => `${frame.length.toString(16)}\r\n${frame}\r\n`)
  return Buffer.from(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks.join("")}0\r\n\r\n`)
}
const [one, two, end] = ["data: @1000.000 \n\n", "data: @1020.000 \n\n", "data: [DONE]\n\n"]

describe("a stream that was read", () => {
  it("is whole with all events in order and an end, wherever its chunks are cut", () => {
    expect(wrongWith(received(one, two, end), 2)).toBeUndefined()
    const text = one + two + end
    for (let cut = 1; cut < text.length; cut++) {
      expect(wrongWith(received(text.slice(0, cut), text.slice(cut)), 2)).toBeUndefined()
    }
  })
  it.each([
    ["an event less", received(one, end), "1 of 2 events"],
    ["no end", received(one, two), "no end"],
    ["events that changed places", received(two, one, end), "events out of order"],
    ["no head", Buffer.from(""), "no answer"],
    ["another status", Buffer.from("HTTP/1.1 500 No\r\n\r\nno"), "HTTP/1.1 500 No\r\n\r\nno"]
  ])("is wrong with %s", (_what, bytes, wrong) => {
    expect(wrongWith(bytes, 2)).toBe(wrong)
  })
})

describe("the harness, with the bare proxy as the peer", () => {
  it("measures whole answers and streams, and counts wrong answers", { timeout: 120_000 }, async () => {
    const upstream = await startUpstream()
    const running = await run(bareBun, upstream, cores.system)
    try {
      const ask = { path: paths.messages, headers: {}, body: wholeBodies.messages }
      const target = (text: string) => ({ running, ask, text })
      const measured = (text: string) =>
        whole(
          target(text),
          { bare: target(text), upstream: { ...target(text), running: upstream } },
          { seconds: 1, rounds: 1, warm: 2 }
        )
      const right = await measured(upstream.texts.messages)
      expect(right.wrong).toBe(0)
      for (const figure of [right.perSecond, right.cpu, right.underLoad, right.timesBare])
        expect(figure).toBeGreaterThan(0)
      const wrong = await measured("an unknown system")
      expect(wrong.wrong).toBeGreaterThan(0)
      const stream = (model: string) => ({ path: paths.chat, headers: {}, body: bodies.chatStream(model) })
      const read = await streams(running, stream, 20, 1)
      expect(read.wrong).toBeUndefined()
      expect(read.clean).toBe(1)
      for (const { p50, p99 } of [read.cold, read.warm, read.many]) expect(p99).toBeGreaterThanOrEqual(p50)
      const broken = await streams(running, () => ask, 5, 1)
      expect(broken.clean).toBe(0)
      expect(broken.wrong).toContain("0 of 20 events")
    } finally {
      await running.stop()
      upstream.stop()
    }
  })
})

const firsts = { p50: 3, p99: 5 }
const streamed: StreamFigures = {
  cold: firsts,
  warm: firsts,
  many: firsts,
  delayP99: 1,
  cpu: 0.02,
  kilobytes: 20,
  clean: 1,
  wrong: undefined
}
const answered: WholeFigures = {
  perSecond: 5_000,
  timesBare: 0.5,
  cpu: 0.1,
  spread: 0.02,
  addedP50: 0.2,
  addedP99: 1,
  underLoad: 100,
  wrong: 0
}
const system = (name: string, more: Partial<Figures> = {}): Figures => ({
  name,
  version: "1",
  settings: "as it is",
  lacks: "nothing",
  startMs: 10,
  idle: 20,
  wholes: { "messages passed through": { ...answered, free: 6_000 } },
  streams: { "messages passed through": streamed },
  direct: { "messages passed through": { ...streamed, warm: { p50: 1, p99: 2 } } },
  at: "2026-01-01 00:00",
  ...more
})
const results = (...systems: ReadonlyArray<Figures>): Results => ({
  machine: "a machine",
  systems
})

describe("the table", () => {
  it("has what was added to the upstream's own first event", () => {
    expect(page(results(system("one")))).toContain(
      "| one, messages passed through | 2.0 / 3.0 | 2.0 / 3.0 | 0.0 / 0.0 |"
    )
  })
  it("keeps those that were not measured again, in their places", () => {
    const again = system("one", { version: "2" })
    const { systems } = merged(results(system("one"), system("two")), results(again, system("three")))
    expect(systems.map(({ name, version }) => `${name} ${version}`)).toEqual(["one 2", "two 1", "three 1"])
  })
  it("goes between its markers, and nowhere where there are none", () => {
    expect(between("a\n<!-- x -->\nold\n<!-- /x -->\nb", "x", "$1 new")).toBe("a\n<!-- x -->\n$1 new\n<!-- /x -->\nb")
    expect(() => between("a", "x", "new")).toThrow("no markers")
  })
})

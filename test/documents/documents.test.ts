import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Documents } from "../../src/documents/Documents.ts"
import { flateBomb, manyShows, pagesOfText, plainText } from "../guard/bodies/pdfs.ts"

const readAll = (bytes: Uint8Array) => Effect.flatMap(Documents, ({ read }) => read(bytes, "text"))
const readBeginning = (bytes: Uint8Array) => Effect.flatMap(Documents, ({ read }) => read(bytes, "beginning"))
const refusalOf = (bytes: Uint8Array) => Effect.map(Effect.flip(readAll(bytes)), ({ refusal }) => refusal.message)

/** Processes that this one has begun and that still run. */
const children = () => {
  const pids = Bun.spawnSync(["ps", "-o", "pid=,args=", "--ppid", String(process.pid)]).stdout.toString()
  return pids.split("\n").filter((line) => line.includes("documents/process.ts")).length
}

describe("a document", () => {
  it.effect("gives its pages and text, or how it begins", () =>
    Effect.gen(function* () {
      const bytes = pagesOfText(["One  page", "Another"])
      expect(yield* readAll(bytes)).toEqual({ pages: 2, text: "One page\nAnother" })
      expect(yield* readBeginning(bytes)).toEqual({ pages: 2, text: "One page" })
      expect(yield* readBeginning(pagesOfText(["", "", "Third", "Fourth"]))).toEqual({ pages: 4, text: "\n\nThird" })
    }).pipe(Effect.provide(Documents.Default))
  )

  it.effect("that is none is unreadable, and the next one is read", () =>
    Effect.gen(function* () {
      expect(yield* refusalOf(Buffer.from("%PDF-1.7 but not really"))).toContain("not a readable PDF")
      expect(yield* readAll(pagesOfText(["Next"]))).toMatchObject({ text: "Next" })
    }).pipe(Effect.provide(Documents.Default))
  )

  it.effect.each([
    ["memory", () => flateBomb(1_024), "256 MiB"],
    ["characters", () => plainText(4), "at most 2000000 characters"],
    ["pages", () => pagesOfText(Array.from({ length: 501 }, () => "x")), "at most 500 pages"]
  ] as const)(
    "that takes too much (%s) is refused by the bound it breaks, and harms no other document",
    ([, bomb, message]) =>
      Effect.gen(function* () {
        const bytes = bomb()
        const before = process.memoryUsage.rss()
        expect(yield* refusalOf(bytes)).toContain(message)
        expect(process.memoryUsage.rss() - before).toBeLessThan(100_000_000)
        expect(yield* readAll(pagesOfText(["Next"]))).toMatchObject({ text: "Next" })
        // On a busy machine it takes longer until the bound is reached that this is about.
      }).pipe(Effect.provide(Documents.layer({ command: [process.execPath, processFile], longestMs: 120_000 })))
  )

  it.effect("that keeps a processor busy for too long is refused", () =>
    Effect.gen(function* () {
      expect(yield* refusalOf(manyShows(1_000_000))).toContain("takes longer")
    }).pipe(Effect.provide(Documents.layer({ command: [process.execPath, processFile], longestMs: 100 })))
  )

  it.effect("of a million tiny texts is refused or read, within its bounds", () =>
    Effect.gen(function* () {
      const outcome = yield* Effect.either(readAll(manyShows(1_000_000)))
      expect(["Left", "Right"]).toContain(outcome._tag)
      expect(yield* readAll(pagesOfText(["Next"]))).toMatchObject({ text: "Next" })
    }).pipe(Effect.provide(Documents.Default))
  )
})

describe("the processes that read", () => {
  it.effect("are two at most, kept for the next document, and gone with the process that began them", () =>
    Effect.gen(function* () {
      // Those of the tests before may still be ending.
      yield* Effect.promise(gone)
      yield* Effect.gen(function* () {
        const bytes = pagesOfText(["Text"])
        const reads = yield* Effect.all(
          Array.from({ length: 8 }, () => readAll(bytes)),
          { concurrency: "unbounded" }
        )
        expect(reads).toEqual(Array.from({ length: 8 }, () => ({ pages: 1, text: "Text" })))
        expect(children()).toBe(2)
      }).pipe(Effect.provide(Documents.Default))
      yield* Effect.promise(gone)
    })
  )

  it.live("end once they are idle", () =>
    Effect.gen(function* () {
      yield* readAll(pagesOfText(["Text"]))
      yield* Effect.promise(gone)
      expect(yield* readAll(pagesOfText(["Again"]))).toMatchObject({ text: "Again" })
    }).pipe(Effect.provide(Documents.layer({ command: [process.execPath, processFile], idleMs: 50 })))
  )

  it.live("end with a caller that leaves", () =>
    Effect.gen(function* () {
      const reading = yield* Effect.fork(readAll(flateBomb(200)))
      yield* Effect.promise(begun)
      yield* Fiber.interrupt(reading)
      yield* Effect.promise(gone)
    }).pipe(Effect.provide(Documents.Default))
  )

  it.effect("that can't be begun are a defect, and no request waits for them", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(readAll(pagesOfText(["Text"])))
      expect(exit).toMatchObject({ _tag: "Failure", cause: { _tag: "Die" } })
    }).pipe(Effect.provide(Documents.layer({ command: [process.execPath, "-e", "process.exit(1)"] })))
  )
})

const processFile = `${import.meta.dirname}/../../src/documents/process.ts`

const until = (holds: () => boolean) => async () => {
  while (!holds()) await Bun.sleep(10)
}
const gone = until(() => children() === 0)
const begun = until(() => children() === 1)

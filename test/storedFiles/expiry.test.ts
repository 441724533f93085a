import { existsSync, mkdtempSync, readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Duration, Effect, Layer, Option } from "effect"
import { Caller } from "../../src/contract/callers/Caller.ts"
import { Settings } from "../../src/config/Settings.ts"
import { FileStore } from "../../src/files/FileStore.ts"
import { StoredFiles } from "../../src/storedFiles/StoredFiles.ts"
import { StoredFilesExpiry } from "../../src/storedFiles/StoredFilesExpiry.ts"
import { StoredRows } from "../../src/storedFiles/store/StoredRows.ts"
import { adjust } from "../sql/clock.ts"
import { database, describeOnEach } from "../sql/engines.ts"

const owner = Caller.unrestricted("one")

const retention = {
  responses: Duration.days(1),
  tasks: Duration.days(1),
  batches: Duration.days(1),
  files: Duration.days(1),
  storedFilesMs: Duration.toMillis("2 hours"),
  requests: Duration.days(1),
  mostRequests: 1,
  bodiesMs: 1,
  usage: Option.none(),
  audit: Option.none()
}

const storing = (folder: string) =>
  StoredFilesExpiry.pipe(
    Layer.provideMerge(StoredFiles.Default),
    Layer.provideMerge(StoredRows.Default),
    Layer.provide(FileStore.folder(folder)),
    Layer.provide(Settings.Test({ retention, room: { maxBytes: undefined, freeBytes: undefined } })),
    Layer.provide(database())
  )

/** Three bytes, of which the source may break off after the second. */
const bytes = (isBroken = false) => ({
  bytes: 3,
  open: () => {
    const chunks = ["a", "b", "c"].map((one) => Buffer.from(one))
    return () =>
      isBroken && chunks.length === 1 ? Promise.reject(new Error("broken off")) : Promise.resolve(chunks.shift())
  }
})

describeOnEach("files that end", () => {
  it.effect("go with their bytes, and give them back", () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-stored-"))
    const left = () => readdirSync(join(folder, "stored")).length
    return Effect.gen(function* () {
      const files = yield* StoredFiles
      const { bytesOf } = yield* StoredRows
      const words = { name: "a.txt", purpose: "batch" }
      const short = yield* files.put(owner, { ...words, expiresAfterSeconds: 3_600 }, bytes())
      const long = yield* files.put(owner, { ...words, expiresAfterSeconds: 1_000_000 }, bytes())
      const usual = yield* files.put(owner, words, bytes())
      expect([short, long, usual].map(({ expiresAtMs }) => expiresAtMs)).toEqual([3_600_000, 7_200_000, 7_200_000])
      expect([left(), yield* bytesOf("one")]).toEqual([3, 9])
      yield* adjust("59 minutes")
      expect(yield* files.known(owner, short.id)).toEqual(short)
      yield* adjust("2 minutes")
      expect(yield* files.known(owner, short.id)).toBeUndefined()
      yield* Effect.promise(() => expect.poll(left).toBe(2))
      yield* adjust("1 hour")
      yield* Effect.promise(() => expect.poll(left).toBe(0))
      yield* Effect.promise(() => expect.poll(() => Effect.runPromise(bytesOf("one"))).toBe(0))
    }).pipe(Effect.provide(storing(folder)))
  })

  it.effect("let an upload be completed again whose process died while it was", () =>
    Effect.gen(function* () {
      const rows = yield* StoredRows
      const files = yield* StoredFiles
      const upload = { bytes: 3, mediaType: "", state: "upload", ms: 3_600_000 } as const
      const key = yield* files.begin(owner, { name: "a", purpose: "batch" }, upload)
      expect(yield* rows.become(key, "upload", "joining", { due_at: 60_000 })).toBe(true)
      yield* adjust("50 seconds")
      expect([yield* rows.isJoining(owner, key), yield* rows.upload(owner, key)]).toEqual([true, undefined])
      yield* adjust("2 minutes")
      const again = yield* Effect.repeat(rows.upload(owner, key), { until: (found) => found !== undefined })
      expect(again?.expiresAtMs).toBe(3_600_000)
      yield* adjust("1 hour")
      yield* Effect.promise(() => expect.poll(() => Effect.runPromise(rows.bytesOf("one"))).toBe(0))
    }).pipe(Effect.provide(storing(mkdtempSync(join(tmpdir(), "gateway-stored-")))))
  )

  it.effect("leave nothing if their bytes break off", () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-stored-"))
    return Effect.gen(function* () {
      const files = yield* StoredFiles
      const { bytesOf } = yield* StoredRows
      const source = { ...bytes(true), open: brokenLater() }
      const failed = yield* Effect.flip(files.put(owner, { name: "a", purpose: "batch" }, source))
      expect(failed._tag).toBe("Unavailable")
      expect(yield* bytesOf("one")).toBe(0)
      expect(yield* files.list(owner, { order: "asc", limit: 1 })).toEqual([])
      expect(existsSync(join(folder, "stored")) ? readdirSync(join(folder, "stored")) : []).toEqual([])
    }).pipe(Effect.provide(storing(folder)))
  })
})

/** Whole when its beginning is looked at, broken when it is stored. */
const brokenLater = () => {
  let opened = 0
  return () => bytes(opened++ > 0).open()
}

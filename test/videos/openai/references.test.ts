import { expect, it } from "@effect/vitest"
import { Effect, Exit, Layer, Option } from "effect"
import { PublicUrl } from "../../../src/config/PublicUrl.ts"
import { NotFound } from "../../../src/contract/failures/Failure.ts"
import { UploadedFile } from "../../../src/contract/bodies/UploadedFile.ts"
import { KeptFiles } from "../../../src/files/KeptFiles.ts"
import { NotKept } from "../../../src/files/NotKept.ts"
import { makeReferences } from "../../../src/videos/openai/references.ts"

const clip = (name: string) =>
  new UploadedFile({ name, mediaType: "video/mp4", bytes: 3, sha256: "", open: () => () => Promise.resolve(undefined) })

const refused = new NotFound({ param: null, message: "no such model" })

/** @returns the files that are left */
const left = <A, E>(
  create: () => Effect.Effect<A, E>,
  keep: () => Effect.Effect<void, NotKept> = () => Effect.void
) => {
  const files = new Set<string>()
  const kept = KeptFiles.Test({
    idOf: (_, upload) => upload,
    keep: (id) => Effect.suspend(() => (files.add(id), keep())),
    remove: (id) => Effect.sync(() => void files.delete(id))
  })
  return Effect.gen(function* () {
    const withReferences = yield* makeReferences
    const exit = yield* Effect.exit(withReferences([clip("a.mp4"), clip("b.mp4")], () => Effect.void, create))
    return [Exit.isSuccess(exit), files.size]
  }).pipe(Effect.provide(Layer.merge(kept, PublicUrl.layer(Option.some("https://gw.example.com")))))
}

it.effect("uploaded videos stay for a task, and go if there is none", () =>
  Effect.gen(function* () {
    expect(yield* left(() => Effect.succeed("cgt-1"))).toEqual([true, 2])
    expect(yield* left(() => Effect.fail(refused))).toEqual([false, 0])
    expect(yield* left(() => Effect.die("a defect"))).toEqual([false, 0])
    // It may have stored its task.
    expect(yield* left(() => Effect.interrupt)).toEqual([false, 2])
    let count = 0
    const second = () => (++count === 2 ? Effect.fail(new NotKept({ why: "too-large", message: "no" })) : Effect.void)
    expect(yield* left(() => Effect.succeed("cgt-1"), second)).toEqual([false, 0])
    const broken = () => (++count === 4 ? Effect.interrupt : Effect.void)
    expect(yield* left(() => Effect.succeed("cgt-1"), broken)).toEqual([false, 0])
  })
)

it.effect("a create with files is checked with their beginnings before any is read or stored", () =>
  Effect.gen(function* () {
    const bytes = Buffer.alloc(2_000_000, "image")
    let read = 0
    const open = () => {
      let at = 0
      return () => {
        const chunk = bytes.subarray(at, (at += 250_000))
        read += chunk.length
        return Promise.resolve(chunk.length === 0 ? undefined : chunk)
      }
    }
    const image = new UploadedFile({ name: "a.png", mediaType: "image/png", bytes: bytes.length, sha256: "", open })
    const withReferences = yield* makeReferences
    const checked: Array<ReadonlyArray<unknown>> = []
    const check = (parts: ReadonlyArray<unknown>) => Effect.suspend(() => (checked.push(parts), Effect.fail(refused)))
    const exit = yield* Effect.exit(withReferences([image, image, clip("a.mp4")], check, () => Effect.die("created")))
    expect(exit).toEqual(Exit.fail(refused))
    expect(checked).toHaveLength(1)
    expect(JSON.stringify(checked).length).toBeLessThan(10_000)
    expect(read).toBe(500_000)
    const made = yield* withReferences(
      image,
      () => Effect.void,
      (parts) => Effect.succeed(JSON.stringify(parts).length)
    )
    expect(made).toBeGreaterThan(bytes.length)
    // Addresses cost nothing, so nothing is checked before.
    expect(
      yield* withReferences(
        "https://example.com/a.png",
        () => Effect.die("checked"),
        () => Effect.succeed(1)
      )
    ).toBe(1)
  }).pipe(
    Effect.provide(
      Layer.merge(
        KeptFiles.Test({ idOf: (_, upload) => upload, keep: () => Effect.dieMessage("stored") }),
        PublicUrl.layer(Option.some("https://gw.example.com"))
      )
    )
  )
)

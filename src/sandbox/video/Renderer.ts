import { Data, Effect } from "effect"
import { threadFile } from "../../flow/threadFile.ts"
import type { Rendered } from "./worker.ts"
import type { Clip, Scene } from "./scene.ts"

/** The renderer broke: a defect of ours, or a machine out of memory. */
export class RenderFailed extends Data.TaggedError("RenderFailed")<{ readonly reason: string }> {}

/** Renders clips on threads of their own, so that no request waits for one; one at a time, the others queue. */
export class Renderer extends Effect.Service<Renderer>()("gateway/sandbox/video/Renderer", {
  effect: Effect.gen(function* () {
    const turn = yield* Effect.makeSemaphore(1)

    /** A thread lives for one clip: it takes 40 ms to start, and its end gives back all that the encoder took. */
    const render = (scene: Scene): Effect.Effect<Clip, RenderFailed> =>
      turn.withPermits(1)(
        Effect.acquireUseRelease(
          Effect.sync(() => new Worker(threadFile(import.meta.url, "sandbox/video/worker"))),
          (thread) => ask(thread, scene),
          (thread) => Effect.sync(() => thread.terminate())
        )
      )

    return { render } as const
  })
}) {}

const ask = (thread: Worker, scene: Scene) =>
  Effect.async<Clip, RenderFailed>((resume) => {
    const fail = (reason: string) => resume(Effect.fail(new RenderFailed({ reason })))
    thread.addEventListener("message", ({ data }: MessageEvent<Rendered>) =>
      "clip" in data ? resume(Effect.succeed(data.clip)) : fail(data.failed)
    )
    thread.addEventListener("error", ({ message }) => fail(message))
    thread.postMessage(scene, [])
  })

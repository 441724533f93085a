import { Data, Effect } from "effect"
import { threadFile } from "../../flow/threadFile.ts"
import type { Rendered } from "./worker.ts"
import type { Clip, Scene } from "./scene.ts"

/** The renderer failed: a defect, or out of memory. */
export class RenderFailed extends Data.TaggedError("RenderFailed")<{ readonly reason: string }> {}

/** Renders clips one at a time on a thread of their own, so that no request waits for one. */
export class Renderer extends Effect.Service<Renderer>()("gateway/sandbox/video/Renderer", {
  sync: () => ({ render: makeRender() })
}) {}

export const makeRender = () => {
  const turn = Effect.unsafeMakeSemaphore(1)
  /** A thread per clip: it starts in 40 ms, and its end frees the encoder's memory. */
  return (scene: Scene): Effect.Effect<Clip, RenderFailed> =>
    turn.withPermits(1)(
      Effect.acquireUseRelease(
        Effect.sync(() => new Worker(threadFile(import.meta.url, "sandbox/video/worker"))),
        (thread) => ask(thread, scene),
        (thread) => Effect.sync(() => thread.terminate())
      )
    )
}

const ask = (thread: Worker, scene: Scene) =>
  Effect.async<Clip, RenderFailed>((resume) => {
    const fail = (reason: string) => resume(Effect.fail(new RenderFailed({ reason })))
    thread.addEventListener("message", ({ data }: MessageEvent<Rendered>) =>
      "clip" in data ? resume(Effect.succeed(data.clip)) : fail(data.failed)
    )
    thread.addEventListener("error", ({ message }) => fail(message))
    thread.postMessage(scene, [])
  })

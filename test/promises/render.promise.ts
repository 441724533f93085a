import { Effect } from "effect"
import { it } from "vitest"
import { Renderer } from "../../src/sandbox/video/Renderer.ts"
import { sizeOf } from "../../src/videos/geometry.ts"
import { keeps } from "./keeps.ts"

it.each([
  ["480p", 96, 2_000],
  ["720p", 120, 5_000]
] as const)("the sandbox renders %s, %i frames, within %i ms", (resolution, frames, mostMs) => {
  const scene = {
    ...sizeOf(resolution, "16:9"),
    frames,
    framesPerSecond: 24,
    seed: 7,
    prompt: "a cat",
    watermark: false,
    lastFrame: true
  }
  const render = Effect.gen(function* () {
    const renderer = yield* Renderer
    const began = performance.now()
    yield* renderer.render(scene)
    return performance.now() - began
  }).pipe(Effect.provide(Renderer.Default))
  return keeps(`rendering ${resolution}, ${frames} frames`, mostMs, () => Effect.runPromise(render))
})

import { Effect } from "effect"
import { UploadedFile } from "../contract/bodies/UploadedFile.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { countAt, numberAt, textAt } from "../contract/json/json.ts"
import type { JsonObject } from "../contract/fields.ts"
import { noUsage } from "../generation/GenerationEvent.ts"
import { countText } from "../tokens/tokens.ts"
import { endpointOf } from "../upstreams/text/upstreamOf.ts"
import { UpstreamError } from "../upstreams/UpstreamError.ts"
import { failureOf, readDirective } from "./directive.ts"
import { makeRender } from "./video/Renderer.ts"
import { wholeGeneration } from "./wholeGeneration.ts"

/** The catalogue's entry for it. */
export const sandboxImageModel = {
  id: "sandbox-image",
  kind: "image",
  routes: [{ upstream: "sandbox", model: "sandbox-image" }],
  contextTokens: 8_192,
  ownedBy: "sandbox"
} as const

const usualSide = 512
const sides = { least: 64, most: 1_536 }
/** A picture that is given, of any size. */
const pictureTokens = 256
/** A token stands for so many pixels a side. */
const tokenSide = 32

/** The families that it draws for. */
type Drawing = "images" | "edits" | "variations"

/**
 * The embedded image model: a PNG with the prompt in it, the same for the same prompt, pictures, size and place in the
 * list. Pictures are not decoded: their bytes choose the colours.
 */
export const makeSandboxImages = () => {
  const render = makeRender()
  const drawing = (family: Drawing) => endpointOf(family, draw(render))
  return { images: drawing("images"), edits: drawing("edits"), variations: drawing("variations") }
}

const draw =
  (render: ReturnType<typeof makeRender>): Parameters<typeof endpointOf>[1] =>
  ({ body, rewrite }) =>
    Effect.gen(function* () {
      const read = readDirective(textAt(body, "prompt") ?? "")
      if (read instanceof InvalidRequest) return yield* read
      const { directive, text: prompt } = read
      if (directive.delayMs > 0) yield* Effect.sleep(directive.delayMs)
      if (directive.error !== undefined) return yield* refusal(directive.error)
      const size = sizeOf(body)
      if (size instanceof InvalidRequest) return yield* size
      const { height, width } = size
      const pictures = picturesIn(body)
      const seed = numberAt(body, "seed") ?? hashOf([prompt, ...pictures].join("\n"))
      const data = yield* Effect.forEach(Array.from({ length: countAt(body, "n") ?? 1 }).keys(), (index) =>
        render({
          width,
          height,
          frames: 1,
          framesPerSecond: 1,
          seed: seed + index,
          prompt,
          watermark: false,
          lastFrame: true
        }).pipe(
          Effect.map(({ lastFrame }) => ({ b64_json: Buffer.from(lastFrame ?? []).toString("base64") })),
          Effect.catchAll(({ reason }) => Effect.die(reason))
        )
      )
      const [textTokens, imageTokens] = [countText(prompt), pictures.length * pictureTokens]
      const inputTokens = textTokens + imageTokens
      const outputTokens = data.length * Math.ceil(width / tokenSide) * Math.ceil(height / tokenSide)
      const usage = {
        input_tokens: inputTokens,
        output_tokens: outputTokens,
        total_tokens: inputTokens + outputTokens,
        input_tokens_details: { text_tokens: textTokens, image_tokens: imageTokens }
      }
      const created = Math.floor((yield* Effect.clockWith((clock) => clock.currentTimeMillis)) / 1_000)
      const answer = { created, data, output_format: "png", size: `${width}x${height}`, usage }
      return wholeGeneration([
        {
          type: "usage",
          usage: {
            ...noUsage,
            inputTokens,
            outputTokens,
            ...(imageTokens > 0 && { imageInputTokens: imageTokens }),
            imageOutputTokens: outputTokens,
            images: data.length
          }
        },
        { type: "passthrough", terminal: true, text: JSON.stringify(rewrite(answer)) },
        { type: "finished", reason: "stop", stopSequence: null }
      ])
    })

/** The pictures of a request by their bytes or addresses. */
const picturesIn = (body: JsonObject): ReadonlyArray<string> =>
  ["image", "images", "mask"]
    .flatMap((field) => body[field] ?? [])
    .map((one) => (one instanceof UploadedFile ? one.sha256 : JSON.stringify(one)))

const refusal = (status: number): UpstreamError =>
  new UpstreamError({
    failure: failureOf(status),
    retry: status === 400 ? "never" : "elsewhere",
    retryAfterMs: undefined,
    status
  })

/** The renderer halves the sides of a picture's colours. */
const even = (side: number): number => side - (side % 2)

const sizeOf = (body: JsonObject): { readonly width: number; readonly height: number } | InvalidRequest => {
  const size = textAt(body, "size") ?? "auto"
  if (size === "auto") return { width: usualSide, height: usualSide }
  const [width = 0, height = 0] = /^\d{1,5}x\d{1,5}$/.test(size) ? size.split("x").map(Number) : []
  if ([width, height].some((side) => side < sides.least || side > sides.most)) {
    const message = `size: sandbox-image draws sides of ${sides.least} to ${sides.most}, "1024x1024" for instance; got "${size.slice(0, 40)}"`
    return new InvalidRequest({ param: "size", message })
  }
  return { width: even(width), height: even(height) }
}

/** FNV-1a. */
const hashOf = (text: string): number => {
  let hash = 0x811c_9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193)
  return hash >>> 0
}

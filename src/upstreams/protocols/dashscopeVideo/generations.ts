import { usualFates } from "../../videoFields.ts"
import type { FieldFates } from "../../videoFields.ts"

/**
 * The wires of DashScope's models: `wan3` and all that follow it take `media` for everything; `wan2.7` is a model for each
 * kind of input; those before take single addresses. Vidu's are as `wan2.7`.
 */
export type Generation = "media" | "text" | "frames" | "references" | "oldText" | "oldFrame"

/** The wire of a model, by its id. An id that is not known takes `media`, as the newest do. */
export const generationOf = (model: string): Generation => {
  const isOld = /(?:^|\/)wanx?2\.[1-6]/i.test(model)
  if (/-r2v|reference/i.test(model)) return "references"
  if (/-i2v|-kf2v|image|start-end/i.test(model)) return isOld ? "oldFrame" : "frames"
  if (/-t2v|text/i.test(model)) return isOld ? "oldText" : "text"
  return "media"
}

const noFrames = { first_frame: "refused", last_frame: "refused" } as const
const noReferences = { reference_image: "refused", reference_video: "refused", reference_audio: "refused" } as const

/** The fate of a task's fields by the wire of the model. */
export const fates: Readonly<Record<Generation, FieldFates>> = {
  media: usualFates,
  text: { ...usualFates, ...noFrames, ...noReferences, generate_audio: "always" },
  // The ratio is the first frame's.
  frames: { ...usualFates, ...noReferences, ratio: "left out", generate_audio: "always" },
  references: { ...usualFates, ...noFrames, reference_audio: "refused", generate_audio: "always" },
  oldText: { ...usualFates, ...noFrames, ...noReferences },
  oldFrame: { ...usualFates, ...noReferences, last_frame: "refused", ratio: "left out" }
}

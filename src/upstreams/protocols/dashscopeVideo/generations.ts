import { usualFates } from "../../videos/videoFields.ts"
import type { FieldFates } from "../../videos/videoFields.ts"

/**
 * The wires of DashScope's models: `wan3` and all that follow it take `media` for everything; `wan2.7` is a model for each
 * kind of input; those before take single addresses. Vidu's are as `wan2.7`.
 */
export type Generation = "media" | "text" | "frames" | "references" | "oldText" | "oldFrame" | "oldFrames"

/** The wire of a model, by its id. An id that is not known takes `media`, as the newest do. */
export const generationOf = (model: string): Generation => {
  const isOld = /(?:^|\/)wanx?2\.[1-6]/i.test(model)
  if (/-r2v|reference/i.test(model)) return "references"
  if (/-kf2v/i.test(model)) return isOld ? "oldFrames" : "frames"
  if (/-i2v|image|start-end/i.test(model)) return isOld ? "oldFrame" : "frames"
  if (/-t2v|text/i.test(model)) return isOld ? "oldText" : "text"
  return "media"
}

/** The fate of a task's fields by the wire of the model. */
export const fates: Readonly<Record<Generation, FieldFates>> = {
  media: usualFates,
  text: usualFates,
  // The ratio is the first frame's.
  frames: { ...usualFates, ratio: "left out" },
  references: usualFates,
  oldText: usualFates,
  oldFrame: { ...usualFates, ratio: "left out" },
  oldFrames: { ...usualFates, ratio: "left out" }
}

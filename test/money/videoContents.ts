import type { VideoBoundsRecord } from "../../src/catalogue/VideoBoundsRecord.ts"

const png = `data:image/png;base64,${btoa("pixels")}`
export const image = (role: string) => ({ type: "image_url", role, image_url: { url: png } })
export const clip = {
  type: "video_url",
  role: "reference_video",
  video_url: { url: "https://media.example.com/3s.mp4" }
}
const sound = { type: "audio_url", role: "reference_audio", audio_url: { url: "https://media.example.com/a.mp3" } }
export const text = { type: "text", text: "a cat" }
export type Inputs = "text" | "first_frame" | "last_frame" | "references"

/** The contents that a model's bounds allow, by what they are. */
export const contentsOf = ({ frame_images, needs, references: { audios, images, videos } }: VideoBoundsRecord) => {
  const all: ReadonlyArray<readonly [Inputs, boolean, ReadonlyArray<object>]> = [
    ["text", needs === undefined || needs === "text", []],
    ["first_frame", frame_images > 0 && needs !== "last_frame", [image("first_frame")]],
    ["last_frame", frame_images === 2, [image("first_frame"), image("last_frame")]],
    ["references", images > 0, Array.from({ length: images }, () => image("reference_image"))],
    ["references", videos > 0, [clip, ...(audios > 0 ? [sound] : [])]]
  ]
  return all.flatMap(([inputs, isTaken, media]) => (isTaken ? [{ inputs, content: [text, ...media] }] : []))
}

import type { Counts } from "../../contract/records/measures.ts"
import type { Modality } from "../../contract/records/measureTable.ts"
import { countAt } from "../../contract/json/json.ts"

/** Tokens that are no text, by what they stand for. */
export type Modal = Readonly<Partial<Record<Modality, number>>>

type Parts = Partial<
  Pick<
    Counts,
    | "audioInputTokens"
    | "audioReadTokens"
    | "audioOutputTokens"
    | "imageInputTokens"
    | "imageReadTokens"
    | "imageOutputTokens"
    | "videoInputTokens"
    | "videoReadTokens"
  >
>

/**
 * Splits an input whose cached tokens are not listed by modality. They count as text first, since a conversation begins
 * with text.
 *
 * @param whole all input tokens
 * @param modal of the whole input
 */
export const inputParts = (whole: number, cached: number, modal: Modal): Parts => {
  const { audio = 0, image = 0, video = 0 } = modal
  if (audio + image + video === 0) return {}
  let read = Math.max(0, cached - Math.max(0, whole - audio - image - video))
  const take = (count: number): number => {
    const taken = Math.min(read, count)
    read -= taken
    return taken
  }
  const [audioRead, imageRead, videoRead] = [take(audio), take(image), take(video)]
  return {
    ...some("audioInputTokens", audio - audioRead),
    ...some("audioReadTokens", audioRead),
    ...some("imageInputTokens", image - imageRead),
    ...some("imageReadTokens", imageRead),
    ...some("videoInputTokens", video - videoRead),
    ...some("videoReadTokens", videoRead)
  }
}

/** Members of a usage that most lack. An invalid count leaves the others valid. */
export const some = (name: keyof Counts, count: number | undefined): Partial<Counts> =>
  count === undefined || !(count > 0) ? {} : { [name]: count }

/** The parts that OpenAI's dialects tell beside a count of tokens. */
export const modalIn = (details: unknown): Modal => {
  if (details === undefined) return {}
  const [audio, image, video] = ["audio_tokens", "image_tokens", "video_tokens"].map((name) => countAt(details, name))
  return { ...(audio && { audio }), ...(image && { image }), ...(video && { video }) }
}

/** The parts of an output. */
export const outputParts = ({ audio, image }: Modal): Parts => ({
  ...some("audioOutputTokens", audio),
  ...some("imageOutputTokens", image)
})

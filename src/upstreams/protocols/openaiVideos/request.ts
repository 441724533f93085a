import type { VideoJob } from "../../videos/VideoUpstream.ts"
import { secondsOf, sizeOf } from "./offer.ts"

/** A create is a form. A first frame in the body is sent as a file; the upstream fetches one that is a URL. */
export const requestOf = (job: VideoJob): FormData => {
  const form = new FormData()
  form.set("model", job.upstreamModel)
  form.set("prompt", job.prompt)
  form.set("seconds", secondsOf(job.settings))
  form.set("size", sizeOf(job.settings))
  const frame = job.media.find(({ role }) => role === "first_frame")
  if (frame !== undefined) reference(form, frame.url)
  return form
}

const reference = (form: FormData, url: string) => {
  const [, mediaType = "", data = ""] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? []
  if (mediaType === "") return form.set("input_reference[image_url]", url)
  const extension = mediaType.split("/")[1] ?? "png"
  form.set("input_reference", new File([Buffer.from(data, "base64")], `frame.${extension}`, { type: mediaType }))
}
